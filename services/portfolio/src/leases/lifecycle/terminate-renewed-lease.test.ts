import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { eventually } from "../../../../../test/support/eventually.ts";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents } from "../../../test/database.ts";
import { aLease, createLeaseReferences, currentDate, followingYearTerms, inDays } from "../../../test/fixtures.ts";

const office = await anOffice();
const params = (id: string) => ({ params: { id } });
const read = async (id: string) => (await office.call("getLease", params(id))).lease;
const renew = async (id: string, terms: object = {}) => (await office.call("renewLease", { ...params(id), body: { ...followingYearTerms(), ...terms } })).lease;
const activate = async (id: string) => (await office.call("activateLease", { ...params(id), body: {} })).lease;
const terminate = (id: string, terminationDate: string) => office.attempt("terminateLease", { ...params(id), body: { terminationDate } });
const listRules = async (leaseId: string) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
const monthToMonth = { termType: "month_to_month", endDate: undefined } as object;

describe("terminateLease", () => {
  test.each(["draft", "pending"])("cancels the %s renewal of the lease, ends its billing and frees the unit from the day after", async (status) => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references);
    const renewal = await renew(lease.id);
    if (status === "pending") await activate(renewal.id);
    const { body } = await terminate(lease.id, inDays(20));
    expect(body).toMatchObject({ cancelledRenewalId: renewal.id, lease: { status: "terminated", terminationDate: inDays(20), renewedToLeaseId: null } });
    expect((await read(renewal.id)).status).toBe("cancelled");
    expect((await listRules(lease.id)).map((rule) => [rule.status, rule.endDate])).toEqual([["active", inDays(20)]]);
    expect((await listRules(renewal.id)).map((rule) => rule.status)).toEqual(["ended"]);
    expect((await findOutboxEvents(office, renewal.id)).at(-1)).toMatchObject({
      type: "lease.updated",
      data: { status: "cancelled" },
      audience: { tenantIds: [] },
    });
    expect((await aLease(office, references, { startDate: inDays(21), endDate: inDays(700) })).status).toBe("pending");
  });

  test("cancels a pending renewal also when it starts before the termination date", async () => {
    const lease = await aLease(office, await createLeaseReferences(office), monthToMonth);
    const renewal = await renew(lease.id, { startDate: inDays(10), endDate: inDays(374) });
    await activate(renewal.id);
    const { status, body } = await terminate(lease.id, inDays(40));
    expect([status, body.cancelledRenewalId]).toEqual([200, renewal.id]);
    expect((await listRules(lease.id)).map(({ endDate }) => endDate)).toEqual([inDays(40)]);
  });

  test("does not need the days after its termination, which another lease may hold by then", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references, monthToMonth);
    const renewal = await renew(lease.id, { startDate: inDays(10), endDate: inDays(20), termType: "fixed" });
    await activate(renewal.id);
    await aLease(office, references, { startDate: inDays(21), endDate: inDays(400) });
    expect((await terminate(lease.id, inDays(21))).body.code).toBe("lease_overlap");
    expect((await read(renewal.id)).status).toBe("pending");
    expect((await terminate(lease.id, inDays(20))).body.cancelledRenewalId).toBe(renewal.id);
  });

  test("is refused once the renewal has begun, which is terminated itself", async () => {
    const lease = await aLease(office, await createLeaseReferences(office), monthToMonth);
    const renewal = await renew(lease.id, { startDate: currentDate(), endDate: inDays(364) });
    await activate(renewal.id);
    expect((await terminate(lease.id, inDays(20))).body).toMatchObject({
      code: "invalid_transition",
      message: expect.stringContaining("Terminate the renewal instead"),
    });
    expect((await terminate(renewal.id, inDays(20))).body).toMatchObject({ cancelledRenewalId: null, lease: { status: "terminated" } });
  });

  test("is refused while money is posted on the renewal", async () => {
    const lease = await aLease(office, await createLeaseReferences(office));
    const renewal = await renew(lease.id);
    await activate(renewal.id);
    const charge = { leaseId: renewal.id, amountCents: 100, dueDate: currentDate(), chargeType: "fee" as const };
    const { id } = (await office.call("createCharge", { body: charge })).charge;
    expect((await terminate(lease.id, inDays(20))).body).toMatchObject({ code: "invalid_transition", message: expect.stringContaining("Void its charges") });
    expect((await read(lease.id)).status).toBe("active");
    await office.call("voidCharge", { ...params(id), body: { reason: "By mistake" } });
    expect((await terminate(lease.id, inDays(20))).body.cancelledRenewalId).toBe(renewal.id);
  });

  test.each(["lease", "renewal", "no lease"])(
    "voids the rent that the renewal was charged in advance, and releases what was paid of it for %s",
    async (named) => {
      const own = await anOffice();
      await own.call("updateOrganization", { body: { policies: { postDaysInAdvance: 20 } } });
      const references = await createLeaseReferences(own);
      const lease = await aLease(own, references, { startDate: inDays(-60), endDate: inDays(8) });
      const { lease: renewal } = await own.call("renewLease", { ...params(lease.id), body: { startDate: inDays(9), endDate: inDays(373), rentCents: 90_000 } });
      await own.call("activateLease", { ...params(renewal.id), body: {} });
      await own.call("postDueCharges", { body: {} });
      const chargesOf = async () => (await own.call("listCharges", { query: { leaseId: renewal.id } })).charges;
      const [advance] = await eventually("charge in advance", async () => {
        const charges = await chargesOf();
        return charges.length > 0 && charges;
      });
      const payment = {
        tenantId: lease.tenantId,
        ...(named !== "no lease" && { leaseId: named === "lease" ? lease.id : renewal.id }),
        amountCents: advance!.balanceCents,
        paymentMethod: "check" as const,
        receivedAt: new Date().toISOString(),
        idempotencyKey: randomUUID(),
        allocations: [{ chargeId: advance!.id, amountCents: advance!.balanceCents }],
      };
      const { id } = (await own.call("recordPayment", { body: payment })).payment;
      const bankAccount = { name: "Trust", institutionName: "First Bank", accountMask: "4321", accountType: "operating" as const };
      const bankAccountId = (await own.call("createBankAccount", { body: bankAccount })).bankAccount.id;
      await own.call("createDeposit", { body: { bankAccountId, depositedOn: currentDate(), paymentIds: [id] } });
      const terminated = await own.attempt("terminateLease", { ...params(lease.id), body: { terminationDate: inDays(5) } });
      expect(terminated).toMatchObject({ status: 200, body: { cancelledRenewalId: renewal.id } });
      expect((await chargesOf()).filter(({ status }) => status !== "voided")).toEqual([]);
      // It may settle the rent of the last days of the lease, which is charged for the same month.
      const { allocations } = (await own.call("getPayment", params(id))).payment;
      expect(allocations.filter(({ chargeId }) => chargeId === advance!.id)).toEqual([]);
      // The rest is credit of the tenancy today.
      await own.call("refundPayment", { ...params(id), body: { amountCents: 100, method: "check", bankAccountId } });
      const { transactions } = await own.call("listBankTransactions", { ...params(bankAccountId), query: {} });
      expect(transactions.filter(({ amountCents }) => amountCents === -100).map(({ date }) => date)).toEqual([currentDate()]);
      const chargeId = (await own.call("createCharge", { body: { leaseId: lease.id, amountCents: 200, dueDate: currentDate(), chargeType: "fee" } })).charge.id;
      const prepaidCents = async () => {
        const { trialBalance } = await own.call("getTrialBalance", { query: { asOf: currentDate() } });
        return trialBalance.rows.find(({ accountCode }) => accountCode === "2150")!.closingCents;
      };
      const before = await prepaidCents();
      await own.call("allocatePayment", { ...params(id), body: { allocations: [{ chargeId, amountCents: 200 }] } });
      expect((await prepaidCents()) - before).toBe(200);
      expect((await own.call("getTrialBalance", { query: { asOf: inDays(400) } })).trialBalance.isBalanced).toBe(true);
    },
  );

  test("and an activation of the renewal at the same moment never leave both leases in the unit", async () => {
    for (let round = 0; round < 5; round++) {
      const lease = await aLease(office, await createLeaseReferences(office), monthToMonth);
      const renewal = await renew(lease.id, { startDate: currentDate(), endDate: inDays(364) });
      const responses = await Promise.all([terminate(lease.id, inDays(20)), office.attempt("activateLease", { ...params(renewal.id), body: {} })]);
      expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
      expect([(await read(lease.id)).status, (await read(renewal.id)).status]).toEqual(
        responses[0].status === 200 ? ["terminated", "cancelled"] : ["renewed", "active"],
      );
    }
  });
});

describe("the events of a renewal", () => {
  test("tell the office when it is drafted, and the tenants when it takes over", async () => {
    const references = await createLeaseReferences(office);
    const lease = await aLease(office, references, monthToMonth);
    const renewal = await renew(lease.id, { startDate: currentDate(), endDate: inDays(364) });
    expect(await findOutboxEvents(office, renewal.id)).toMatchObject([
      { type: "lease.created", data: { renewedFromLeaseId: lease.id }, audience: { tenantIds: [] } },
    ]);
    expect((await findOutboxEvents(office, lease.id)).at(-1)).toMatchObject({ type: "lease.updated", audience: { tenantIds: [] } });
    await activate(renewal.id);
    await waitForIdleJobs("portfolio", office);
    const ofLease = await findOutboxEvents(office, lease.id);
    expect(ofLease.filter(({ type }) => type === "lease.renewed")).toMatchObject([
      { data: { renewedToLeaseId: renewal.id }, audience: { tenantIds: [references.tenantId] } },
    ]);
  });
});
