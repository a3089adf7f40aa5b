import { describe, expect, test } from "@jest/globals";
import { eventually } from "../../../../../../test/support/eventually.ts";
import { anOffice, type Office } from "../../../../../../test/support/office.ts";
import { pageTexts } from "../../../pdf/page-texts.fixtures.ts";
import { aDepositOffice, aLetter, depositOf } from "../security-deposits.fixtures.ts";

describe("a move-out", () => {
  test("by the termination of the lease starts the period of the state, after which the disposition is due", async () => {
    const deposit = await aDepositOffice();
    const { office, tenancy, id } = deposit;
    await office.call("terminateLease", { params: { id: tenancy.leaseId }, body: { terminationDate: "2026-02-20" } });
    await eventually("move-out of the deposit", async () => (await depositOf(deposit)).moveOutDate !== null);
    // New York gives 14 days.
    expect(await depositOf(deposit)).toMatchObject({ moveOutDate: "2026-02-20", dispositionDueOn: "2026-03-06", status: "disposition_due" });
    const due = (dueBefore: string) => office.call("listSecurityDeposits", { query: { dueBefore, status: "disposition_due" } });
    expect((await due("2026-03-06")).securityDeposits.map((each) => each.id)).toEqual([id]);
    expect((await due("2026-03-05")).securityDeposits).toEqual([]);
  });

  test("can be corrected, and the deadline with it or apart from it", async () => {
    const { office, tenancy, id } = await aDepositOffice();
    const update = async (body: object) => (await office.call("updateSecurityDeposit", { params: { id }, body })).securityDeposit;
    expect(await update({ moveOutDate: "2026-02-20" })).toMatchObject({ dispositionDueOn: "2026-03-06" });
    expect(await update({ dispositionDueOn: "2026-03-10" })).toMatchObject({ moveOutDate: "2026-02-20", dispositionDueOn: "2026-03-10" });
    expect(await update({ moveOutDate: null })).toMatchObject({ moveOutDate: null, dispositionDueOn: null, status: "held" });
    await office.call("updateOrganization", { body: { policies: { defaultDepositDeadlineDays: 10 } } });
    await eventually("deadline of the policy", async () => (await update({ moveOutDate: "2026-02-20" })).dispositionDueOn === "2026-03-02");
    await office.call("updateProperty", { params: { id: tenancy.propertyId }, body: { depositDeadlineDays: 21 } });
    await eventually("deadline of the property", async () => (await update({ moveOutDate: "2026-02-20" })).dispositionDueOn === "2026-03-13");
  });
});

describe("listDepositDeadlines", () => {
  test("shows the statutory days of each state with their source, and the days that a policy of the organization sets instead", async () => {
    const { office, tenancy, id } = await aDepositOffice();
    const list = async () => (await office.call("listDepositDeadlines")).depositDeadlines;
    const ofState = async (state: string) => (await list()).find((each) => each.state === state);
    expect(await ofState("NY")).toMatchObject({ statutoryDays: 14, policyDays: null, days: 14, isUnverified: true, source: expect.stringContaining("7-108") });
    expect((await list()).map(({ state }) => state)).not.toContain("NM");
    await office.call("updateOrganization", { body: { policies: { depositDeadlineDaysByState: { NY: 45, NM: 20 } } } });
    await eventually("the policy reaches the ledger", async () => (await ofState("NY"))!.days === 45);
    expect(await ofState("NY")).toMatchObject({ statutoryDays: 14, policyDays: 45, days: 45 });
    expect(await ofState("NM")).toMatchObject({ statutoryDays: null, source: null, policyDays: 20, days: 20, isUnverified: false });
    const { securityDeposit } = await office.call("updateSecurityDeposit", { params: { id }, body: { moveOutDate: "2026-02-20" } });
    expect(securityDeposit.dispositionDueOn).toBe("2026-04-06");
    const { disposition } = await office.call("getSecurityDepositDisposition", { params: { id } });
    expect(disposition.deadline).toEqual({ days: 45, source: expect.stringContaining("depositDeadlineDaysByState, NY"), checkedOn: null, isUnverified: false });
    await office.call("updateProperty", { params: { id: tenancy.propertyId }, body: { depositDeadlineDays: 21 } });
    await eventually("deadline of the property", async () => {
      const { securityDeposit: changed } = await office.call("updateSecurityDeposit", { params: { id }, body: { moveOutDate: "2026-02-20" } });
      return changed.dispositionDueOn === "2026-03-13";
    });
  });
});

describe("createSecurityDepositDeduction", () => {
  test("refers to documents of the organization, each once, and refuses others", async () => {
    const [{ office, id }, other] = await Promise.all([aDepositOffice(), anOffice()]);
    const uploadIn = async (client: Office) => {
      const upload = { file: new File(["Cleaning: 4 hours.\n"], "invoice.txt"), entityType: "organization", entityId: client.organizationId } as const;
      return (await client.call("uploadDocument", { body: upload })).document.id;
    };
    const [documentId, foreignId] = [await uploadIn(office), await uploadIn(other)];
    const deduction = { category: "cleaning", description: "Cleaning", amountCents: 12_000 } as const;
    const refused = await office.attempt("createSecurityDepositDeduction", { params: { id }, body: { ...deduction, documentIds: [documentId, foreignId] } });
    expect([refused.status, refused.body.errors]).toMatchObject([400, [{ path: "documentIds.1", code: "not_found" }]]);
    const body = { ...deduction, documentIds: [documentId, documentId] };
    const { securityDeposit } = await office.call("createSecurityDepositDeduction", { params: { id }, body });
    expect(securityDeposit.deductions).toMatchObject([{ amountCents: 12_000, documentIds: [documentId] }]);
  });
});

describe("getSecurityDepositDisposition", () => {
  test("itemizes the deductions with the deadline and its source, first as a draft, and prints the letter", async () => {
    const { office, id } = await aDepositOffice();
    const params = { id };
    await office.call("updateSecurityDeposit", { params, body: { moveOutDate: "2026-02-20" } });
    await office.call("createSecurityDepositDeduction", {
      params,
      body: { category: "cleaning", description: "Cleaning of the kitchen", amountCents: 12_000 },
    });
    const { disposition } = await office.call("getSecurityDepositDisposition", { params });
    expect(disposition).toMatchObject({
      organizationName: "Elm Street Management",
      tenantName: "Tess Tenant",
      moveOutDate: "2026-02-20",
      dispositionDueOn: "2026-03-06",
      remainingDays: expect.any(Number),
      deadline: { days: 14, isUnverified: true, source: expect.stringContaining("NY") },
      heldCents: 150_000,
      deductionsCents: 12_000,
      refundCents: 138_000,
      isFinal: false,
      sentAt: null,
    });
    await office.call("finalizeSecurityDeposit", { params, body: aLetter });
    expect((await office.call("getSecurityDepositDisposition", { params })).disposition).toMatchObject({
      heldCents: 150_000,
      refundCents: 138_000,
      isFinal: true,
      sentAt: aLetter.sentAt,
      forwardingAddress: aLetter.forwardingAddress,
    });
    const response = await office.raw("GET", `/api/trust/security-deposits/${id}/disposition?format=pdf`);
    expect(response.headers.get("Content-Type")).toBe("application/pdf");
    const [page] = pageTexts(Buffer.from(await response.arrayBuffer()));
    for (const text of ["Tess Tenant", "Cleaning of the kitchen", "-$120.00", "$1,380.00", "03/06/2026"]) expect(page).toContain(text);
  });

  test("has the days by which its day was computed, also after the policy has changed, until the move-out is recorded anew", async () => {
    const { office, id } = await aDepositOffice();
    const params = { id };
    const read = async () => (await office.call("getSecurityDepositDisposition", { params })).disposition;
    await office.call("updateSecurityDeposit", { params, body: { moveOutDate: "2026-02-20" } });
    await office.call("updateOrganization", { body: { policies: { depositDeadlineDaysByState: { NY: 45 } } } });
    const daysOfState = async () => (await office.call("listDepositDeadlines")).depositDeadlines.find(({ state }) => state === "NY")!.days;
    await eventually("the policy reaches the ledger", async () => (await daysOfState()) === 45);
    const source = "dispositionDueOn of the security deposit";
    expect(await read()).toMatchObject({ dispositionDueOn: "2026-03-06", deadline: { days: 14, source, checkedOn: null, isUnverified: false } });
    await office.call("updateSecurityDeposit", { params, body: { moveOutDate: "2026-02-20" } });
    expect(await read()).toMatchObject({ dispositionDueOn: "2026-04-06", deadline: { days: 45, source: expect.stringContaining("NY") } });
    await office.call("updateSecurityDeposit", { params, body: { dispositionDueOn: "2026-02-19" } });
    expect(await read()).toMatchObject({ dispositionDueOn: "2026-02-19", deadline: { days: -1, source } });
  });

  test("is the letter that was sent, with the same bytes, whatever is changed later, until it is reopened", async () => {
    const { office, tenancy, id } = await aDepositOffice();
    const params = { id };
    await office.call("updateSecurityDeposit", { params, body: { moveOutDate: "2026-02-20" } });
    await office.call("finalizeSecurityDeposit", { params, body: aLetter });
    const read = async () => (await office.call("getSecurityDepositDisposition", { params })).disposition;
    const pdf = async () => Buffer.from(await (await office.raw("GET", `/api/trust/security-deposits/${id}/disposition?format=pdf`)).arrayBuffer());
    const [sent, letter] = [await read(), await pdf()];
    await office.call("updateSecurityDeposit", { params, body: { forwardingAddress: "1 Elsewhere, Utica, NY 13501" } });
    await office.call("updateProperty", { params: { id: tenancy.propertyId }, body: { name: "Renamed", depositDeadlineDays: 60 } });
    await office.call("updateTenant", { params: { id: tenancy.tenantId }, body: { fullName: "Tess Married" } });
    await office.call("updateOrganization", { body: { name: "Renamed Management" } });
    await eventually("the new names", async () => {
      const [payment] = (await office.call("listPayments", { query: { tenantId: tenancy.tenantId } })).payments;
      return payment!.tenant.fullName === "Tess Married" && payment!.property!.name === "Renamed";
    });
    expect(await read()).toEqual(sent);
    const again = await pdf();
    expect(again.equals(letter)).toBe(true);
    // A PDF that has the time of its download would have other bytes a second later.
    expect(again.toString("latin1")).toContain("(D:20260303170000Z)");
    await office.call("reopenSecurityDeposit", { params, body: { reason: "Wrong address" } });
    const draft = { tenantName: "Tess Married", propertyName: "Renamed", organizationName: "Renamed Management", isFinal: false, sentAt: null };
    expect(await read()).toMatchObject({ ...draft, forwardingAddress: "1 Elsewhere, Utica, NY 13501", dispositionDueOn: "2026-03-06", deadline: { days: 14 } });
    await office.call("finalizeSecurityDeposit", { params, body: { ...aLetter, sentAt: "2026-03-04T17:00:00.000Z" } });
    expect(await read()).toMatchObject({ tenantName: "Tess Married", isFinal: true, sentOn: "2026-03-04", forwardingAddress: aLetter.forwardingAddress });
  });
});
