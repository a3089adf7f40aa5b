import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aCharge } from "../../../../../test/support/tenancy.ts";
import { anAgreement, aRun, january, paidRent } from "../../payables/management-fees/management-fees.fixtures.ts";
import { aFundedProperty, anExpense } from "../../payables/payables.fixtures.ts";
import { periodOf } from "../../periods/periods.fixtures.ts";
import { aReceivedDeposit } from "../../trust/security-deposits/security-deposits.fixtures.ts";
import { aBankAccount } from "../../trust/trust.fixtures.ts";
import { aContribution, aPayee, aPayingOffice, approvePayouts, draftPayouts, ownerLedgerOf, payBill, payoutsOf, payPayout } from "../owners.fixtures.ts";

describe("a share that was sold on February 1", () => {
  async function aSoldShare() {
    const paying = await aPayingOffice({ annBps: 6_000 });
    const cat = await aPayee(paying.office, "Cat");
    const shares = [
      { ownerId: paying.ben, shareBps: 4_000 },
      { ownerId: cat, shareBps: 6_000 },
    ];
    await paying.office.call("replaceOwnership", { params: { id: paying.propertyId }, body: { effectiveDate: "2026-02-01", shares } });
    return { ...paying, cat };
  }

  test("leaves the management fee of January with the owners of January", async () => {
    const { office, ann, ben, cat, propertyId } = await aSoldShare();
    await anAgreement(office, propertyId);
    await aRun(office, january);
    const closings = await Promise.all([ann, ben, cat].map(async (id) => (await ownerLedgerOf(office, id, { to: "2099-01-01" })).closing));
    const accrual = await Promise.all([ann, ben, cat].map(async (id) => (await ownerLedgerOf(office, id, { to: "2099-01-01", basis: "accrual" })).closing));
    expect({ closings, accrual }).toEqual({ closings: [54_000, 36_000, 0], accrual: [54_000, 36_000, 0] });
  });

  test("does not pay the former owner for a bill of January twice, out of the buyer's rent of February", async () => {
    const { office, ann, ben, cat, propertyId, bankAccountId, ...tenancy } = await aSoldShare();
    const bill = await anExpense(office, propertyId, 10_000, { dueOn: "2026-01-31" });
    const january = await draftPayouts(office);
    // Ann and Ben bear the unpaid bill of January.
    expect(january.map(({ ownerId, amountCents }) => [ownerId, amountCents])).toEqual([
      [ann, 54_000],
      [ben, 36_000],
    ]);
    for (const { id } of january) {
      await approvePayouts(office, [{ id }]);
      expect((await payPayout(office, { id })).status).toBe(200);
    }
    expect((await payBill(office, bankAccountId, bill.id, 10_000, "2026-02-05T17:00:00.000Z")).status).toBe(200);
    const payment = await paidRent(office, tenancy, "2026-02-10", 10_000);
    await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-02-11", paymentIds: [payment.id] } });
    const { lines } = (await office.call("previewOwnerPayables", { body: { periodEnd: "2026-02-28" } })).preview;
    const names = new Map([
      [ann, "Ann"],
      [ben, "Ben"],
      [cat, "Cat"],
    ]);
    expect(Object.fromEntries(lines.map(({ ownerId, amountCents }) => [names.get(ownerId)!, amountCents]))).toEqual({ Ben: 4_000, Cat: 6_000 });
  });

  test("leaves the rent of January that bounces in February with the owners who had it", async () => {
    const { office, ann, ben, cat } = await aSoldShare();
    const { payments } = await office.call("listPayments", {});
    await office.call("reversePayment", { params: { id: payments[0]!.id }, body: { reason: "nsf", reversedAt: "2026-02-10T17:00:00.000Z" } });
    const closings = await Promise.all([ann, ben, cat].map(async (id) => (await ownerLedgerOf(office, id, { to: "2099-01-01" })).closing));
    expect(closings).toEqual([0, 0, 0]);
  });

  test("leaves what settles a charge of January in February to the owners of January: a credit, a security deposit, and the void of a credit", async () => {
    const { office, ann, ben, cat, leaseId } = await aSoldShare();
    const closings = async (basis: "accrual" | "cash") =>
      Promise.all([ann, ben, cat].map(async (id) => (await ownerLedgerOf(office, id, { to: "2099-01-01", basis })).closing));
    const charge = await aCharge(office, leaseId, 10_000, "2026-01-20");
    const escrow = await aBankAccount(office, "security_deposit");
    const id = await aReceivedDeposit(office, { leaseId }, escrow);
    expect([await closings("accrual"), await closings("cash")]).toEqual([
      [66_000, 44_000, 0],
      [60_000, 40_000, 0],
    ]);
    const params = { id: charge };
    const { credit } = await office.call("creditCharge", { params, body: { amountCents: 2_000, reason: "concession", creditedOn: "2026-02-10" } });
    expect(await closings("accrual")).toEqual([64_800, 43_200, 0]);
    await office.call("reverseCredit", { params: { id: charge, creditId: credit.id } });
    expect(await closings("accrual")).toEqual([66_000, 44_000, 0]);
    const allocations = [{ chargeId: charge, amountCents: 10_000 }];
    await office.call("applySecurityDeposit", { params: { id }, body: { allocations, occurredOn: "2026-02-10" } });
    expect([await closings("accrual"), await closings("cash")]).toEqual([
      [66_000, 44_000, 0],
      [66_000, 44_000, 0],
    ]);
  });

  test("keeps a former owner with money from being deleted, and the owner shows the balance", async () => {
    const { office, ann } = await aSoldShare();
    const { balance } = await office.call("getOwnerBalance", { params: { id: ann } });
    expect(balance.availableToPayCents).toBe(60_000);
    const { owner } = await office.call("getOwner", { params: { id: ann } });
    const removed = await office.attempt("deleteOwner", { params: { id: ann } });
    expect([owner.balanceCents, removed.status, removed.body.code]).toEqual([60_000, 409, "resource_in_use"]);
  });
});

describe("another day of a document, on the other side of a sale on February 1", () => {
  async function aSoldProperty() {
    const { office, ann, propertyId, bankAccountId, ...tenancy } = await aPayingOffice({ annBps: 10_000 });
    const cat = await aPayee(office, "Cat");
    const shares = [{ ownerId: cat, shareBps: 10_000 }];
    await office.call("replaceOwnership", { params: { id: propertyId }, body: { effectiveDate: "2026-02-01", shares } });
    const closings = async (ledgerVersion?: number) => {
      const query = { to: "2099-01-01", basis: "accrual", ...(ledgerVersion !== undefined && { ledgerVersion: String(ledgerVersion) }) };
      return Promise.all([ann, cat].map(async (id) => (await ownerLedgerOf(office, id, query)).closing));
    };
    const versionNow = async () => (await office.call("getTrialBalance")).trialBalance.ledgerVersion;
    return { office, propertyId, bankAccountId, leaseId: tenancy.leaseId, closings, versionNow };
  }

  test("moves an unpaid expense to the owner of that day, and no entry of before", async () => {
    const { office, propertyId, closings, versionNow } = await aSoldProperty();
    const { id } = await anExpense(office, propertyId, 10_000);
    const version = await versionNow();
    expect(await closings()).toEqual([90_000, 0]);
    await office.call("updateExpense", { params: { id }, body: { incurredOn: "2026-02-10" } });
    expect([await closings(), await closings(version)]).toEqual([
      [100_000, -10_000],
      [90_000, 0],
    ]);
  });

  test("is refused for an expense that was ever paid, since its day decides who bore the payment", async () => {
    const { office, propertyId, bankAccountId } = await aSoldProperty();
    const { id } = await anExpense(office, propertyId, 10_000);
    const { expensePayment } = (await payBill(office, bankAccountId, id, 10_000)).body;
    await office.call("voidExpensePayment", { params: { id: expensePayment.id }, body: { reason: "Wrong account" } });
    const { status, body } = await office.attempt("updateExpense", { params: { id }, body: { incurredOn: "2026-02-10" } });
    expect([status, body.code]).toEqual([409, "already_allocated"]);
    expect((await office.attempt("updateExpense", { params: { id }, body: { amountCents: 9_000 } })).status).toBe(200);
  });

  test("moves an unsettled charge to the owner of that day, and no entry of before", async () => {
    const { office, leaseId, closings, versionNow } = await aSoldProperty();
    const { charge } = await office.call("createCharge", { body: { leaseId, amountCents: 7_000, dueDate: "2026-01-20", chargeType: "fee" } });
    const version = await versionNow();
    await office.call("updateCharge", { params: { id: charge.id }, body: { dueDate: "2026-02-10" } });
    expect([await closings(), await closings(version)]).toEqual([
      [100_000, 7_000],
      [107_000, 0],
    ]);
  });
});

describe("the checklist of a period", () => {
  test("counts an owner whose ledger is negative", async () => {
    const { office, ann, propertyId, bankAccountId } = await aPayingOffice({ annBps: 10_000 });
    await office.call("createOwnerContribution", { params: { id: ann }, body: aContribution(propertyId, bankAccountId, 5_000) });
    const { id } = (await draftPayouts(office))[0]!;
    await approvePayouts(office, [{ id }]);
    await payPayout(office, { id });
    const { payments } = await office.call("listPayments", {});
    await office.call("reversePayment", { params: { id: payments[0]!.id }, body: { reason: "nsf", reversedAt: "2026-02-10T17:00:00.000Z" } });
    expect((await ownerLedgerOf(office, ann, { to: "2026-02-28" })).closing).toBe(-100_000);
    const period = await periodOf(office, "2026-02");
    const { checklist } = await office.call("checkAccountingPeriod", { params: { id: period.id }, body: {} });
    expect(checklist.find(({ key }) => key === "negative_owner_ledgers")).toMatchObject({ ok: false, count: 1 });
  });
});

test("a property that is sold without recorded shares leaves what was earned before to the seller", async () => {
  const office = await anOffice();
  const [ann, cat] = [await aPayee(office, "Ann"), await aPayee(office, "Cat")];
  const { propertyId } = await aFundedProperty(office, 1_000);
  await office.call("updateProperty", { params: { id: propertyId }, body: { ownerIds: [ann] } });
  const shares = [{ ownerId: cat, shareBps: 10_000 }];
  await office.call("replaceOwnership", { params: { id: propertyId }, body: { effectiveDate: "2026-02-01", shares } });
  expect(await payoutsOf(office)).toEqual({ [ann]: 1_000 });
  expect((await office.call("getOwnership", { params: { id: propertyId } })).history).toHaveLength(1);
});

test("shares that the same owners get later apply from the beginning", async () => {
  const office = await anOffice();
  const [ann, ben] = [await aPayee(office, "Ann"), await aPayee(office, "Ben")];
  const { propertyId } = await aFundedProperty(office, 1_000);
  await office.call("updateProperty", { params: { id: propertyId }, body: { ownerIds: [ben, ann] } });
  const shares = [
    { ownerId: ann, shareBps: 6_000 },
    { ownerId: ben, shareBps: 4_000 },
  ];
  await office.call("replaceOwnership", { params: { id: propertyId }, body: { effectiveDate: "2026-02-01", shares } });
  expect(await payoutsOf(office)).toEqual({ [ann]: 600, [ben]: 400 });
});
