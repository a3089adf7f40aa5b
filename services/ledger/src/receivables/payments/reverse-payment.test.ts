import { beforeAll, describe, expect, test } from "@jest/globals";
import { eventually } from "../../../../../test/support/eventually.ts";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, closingBalances, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";

let office: Office;
let tenancy: Tenancy;

beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
});

describe("reversePayment", () => {
  test("reopens the charges with their due dates and restores every balance", async () => {
    const newOffice = await anOffice();
    const ownTenancy = await aTenancy(newOffice);
    const [a, b] = [await aCharge(newOffice, ownTenancy.leaseId, 100, "2026-01-01"), await aCharge(newOffice, ownTenancy.leaseId, 100, "2026-02-01")];
    const balancesBefore = await closingBalances(newOffice);
    const { payment } = await newOffice.call("recordPayment", { body: { ...aPayment(ownTenancy, 250), allocations: [{ chargeId: a, amountCents: 100 }] } });
    await newOffice.call("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId: b, amountCents: 70 }] } });
    const reversed = await newOffice.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf" } });
    expect(reversed).toMatchObject({ payment: { status: "reversed", unallocatedCents: 0, allocations: [] }, reversal: { reason: "nsf" } });
    expect(reversed.charges).toMatchObject([
      { id: a, balanceCents: 100, status: "pending", dueDate: "2026-01-01" },
      { id: b, balanceCents: 100, status: "pending", dueDate: "2026-02-01" },
    ]);
    expect(await closingBalances(newOffice)).toEqual(balancesBefore);
    const { journalEntry } = await newOffice.call("getJournalEntry", { params: { id: reversed.reversal.journalEntryId } });
    expect(journalEntry.reversesId).not.toBeNull();
  });

  test("charges the given NSF fee on the day of the return and posts the bank fee", async () => {
    const newOffice = await anOffice();
    const ownTenancy = await aTenancy(newOffice);
    const { payment } = await newOffice.call("recordPayment", { body: aPayment(ownTenancy, 100) });
    const { charges } = await newOffice.call("reversePayment", {
      params: { id: payment.id },
      body: { reason: "nsf", reversedAt: "2026-01-10T02:00:00.000Z", nsfFeeCents: 3_500, bankFeeCents: 1_200 },
    });
    expect(charges).toMatchObject([{ chargeType: "nsf_fee", amountCents: 3_500, balanceCents: 3_500, dueDate: "2026-01-09" }]);
    expect(await closingBalances(newOffice)).toMatchObject({ "1050": 0, "1100": 3_500, "4040": -3_500, "5050": 1_200, "2000": -1_200 });
    const { trialBalance: onCashBasis } = await newOffice.call("getTrialBalance", { query: { basis: "cash" } });
    expect(onCashBasis.rows.filter(({ closingCents }) => closingCents !== 0)).toEqual([]);
  });

  test("charges no NSF fee of the policy when the fee is 0, and posts no bank fee of 0", async () => {
    const newOffice = await anOffice();
    const ownTenancy = await aTenancy(newOffice);
    await newOffice.call("updateOrganization", { body: { policies: { autoChargeNsfFee: true, nsfFeeCents: 2_500 } } });
    const reverse = async (fees: object) => {
      const { payment } = await newOffice.call("recordPayment", { body: aPayment(ownTenancy, 100) });
      return (await newOffice.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", ...fees } })).charges;
    };
    await eventually("NSF fee of the policy", async () => (await reverse({}))[0]?.amountCents === 2_500);
    const before = await closingBalances(newOffice);
    expect(await reverse({ nsfFeeCents: 0, bankFeeCents: 0 })).toEqual([]);
    expect(await closingBalances(newOffice)).toEqual(before);
  });

  test("refuses a reversal before the receipt, and an NSF fee for a payment without a lease", async () => {
    const body = { ...aPayment(tenancy, 100), leaseId: undefined };
    const { payment } = await office.call("recordPayment", { body });
    const errorFor = async (change: object) =>
      (await office.attempt("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", ...change } })).body.errors?.[0];
    expect(await errorFor({ reversedAt: "2026-01-05T14:59:59.999Z" })).toMatchObject({ path: "reversedAt", code: "before_start" });
    expect(await errorFor({ nsfFeeCents: 3_500 })).toMatchObject({ path: "nsfFeeCents", code: "not_allowed" });
    expect((await office.attempt("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", reversedAt: body.receivedAt } })).status).toBe(200);
  });

  test("when an allocation is dated after the reversal, reverses it on its own date, so that prepaid rent is never negative", async () => {
    const newOffice = await anOffice();
    const ownTenancy = await aTenancy(newOffice);
    const chargeId = await aCharge(newOffice, ownTenancy.leaseId, 100);
    const { payment } = await newOffice.call("recordPayment", { body: aPayment(ownTenancy, 100) });
    await newOffice.call("allocatePayment", { params: { id: payment.id }, body: { allocations: [{ chargeId, amountCents: 100 }] } });
    await newOffice.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", reversedAt: "2026-01-10T12:00:00Z" } });
    const { trialBalance } = await newOffice.call("getTrialBalance", { query: { asOf: "2026-01-10" } });
    const closingOf = (code: string) => trialBalance.rows.find(({ accountCode }) => accountCode === code)!.closingCents;
    expect([closingOf("1050"), closingOf("2150")]).toEqual([0, 0]);
  });

  test("posts the bank's fee to no property", async () => {
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 100) });
    await office.call("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", bankFeeCents: 1_200 } });
    const { trialBalance } = await office.call("getTrialBalance", { query: { propertyId: tenancy.propertyId } });
    expect(trialBalance.rows.filter(({ accountCode }) => accountCode === "5050" || accountCode === "2000").map(({ closingCents }) => closingCents)).toEqual([
      0, 0,
    ]);
  });

  test("posts the bank fee in an entry that can be reversed separately", async () => {
    const newOffice = await anOffice();
    const { payment } = await newOffice.call("recordPayment", { body: aPayment(await aTenancy(newOffice), 100) });
    const body = { reason: "nsf" as const, reversedAt: "2026-02-10T15:00:00.000Z", bankFeeCents: 1_200 };
    await newOffice.call("reversePayment", { params: { id: payment.id }, body });
    const { journalEntries } = await newOffice.call("listJournalEntries", { query: { source: "bank_fee" as never } });
    expect(journalEntries).toMatchObject([{ sourceType: "payment", sourceId: payment.id, debitTotalCents: 1_200 }]);
    await newOffice.call("reverseJournalEntry", { params: { id: journalEntries[0]!.id }, body: { occurredAt: "2026-02-20T15:00:00.000Z" } });
    const feesOn = async (asOf: string) =>
      (await newOffice.call("getTrialBalance", { query: { asOf } })).trialBalance.rows.find(({ accountCode }) => accountCode === "5050")!.closingCents;
    expect([await feesOn("2026-02-19"), await feesOn("2026-02-20")]).toEqual([1_200, 0]);
    expect(await withOwnerConnection(newOffice, findViolations)).toEqual([]);
  });

  test("accepts one of ten concurrent requests", async () => {
    const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, 100) });
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => office.attempt("reversePayment", { params: { id: payment.id }, body: { reason: "other" } })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status, body }) => status === 409 && body.code === "already_reversed")).toHaveLength(9);
  });
});
