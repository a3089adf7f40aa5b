import { describe, expect, test } from "@jest/globals";
import { aCharge, aPayment } from "../../../../../test/support/tenancy.ts";
import { anAgreement, aRun, february, paidRent } from "../../payables/management-fees/management-fees.fixtures.ts";
import { anExpense } from "../../payables/payables.fixtures.ts";
import { aBankAccount, subLedgersOf } from "../../trust/trust.fixtures.ts";
import { aPayee, aPayingOffice, approvePayouts, draftPayouts, ownerLedgerOf, payBill, payoutsOf, payPayout } from "../owners.fixtures.ts";

describe("a payout", () => {
  test("leaves the management fees that no run has charged yet", async () => {
    const { office, ann, propertyId } = await aPayingOffice({ annBps: 10_000 });
    await anAgreement(office, propertyId);
    const payables = await draftPayouts(office);
    const drafted = payables.map(({ ownerId, amountCents }) => [ownerId, amountCents]);
    for (const { id } of payables) {
      await approvePayouts(office, [{ id }]);
      await payPayout(office, { id });
    }
    const fees = await aRun(office);
    expect({ drafted, totalCents: fees.totalCents, collectedCents: fees.collectedCents }).toEqual({
      drafted: [[ann, 90_000]],
      totalCents: 10_000,
      collectedCents: 10_000,
    });
    expect(payables[0]!.calculation.map(({ key }) => key as string)).toContain("management_fees");
  });

  test("leaves the fees of the month before as well, and of the days after those that were charged", async () => {
    const { office, ann, propertyId } = await aPayingOffice({ annBps: 10_000 });
    await anAgreement(office, propertyId);
    expect(await payoutsOf(office, { periodEnd: "2026-02-10" })).toEqual({ [ann]: 90_000 });
    await office.call("createManagementFeeRun", { body: { periodStart: "2026-01-01", periodEnd: "2026-01-03", bankAccountId: null } });
    expect(await payoutsOf(office)).toEqual({ [ann]: 90_000 });
  });

  test("leaves the fees of all earlier months that no run has charged, and of those after the latest that was charged", async () => {
    const { office, ann, propertyId, bankAccountId, ...tenancy } = await aPayingOffice({ annBps: 10_000 });
    await anAgreement(office, propertyId);
    const payments = [];
    for (const day of ["2026-02-05", "2026-03-05", "2026-04-05", "2026-05-05"]) payments.push(await paidRent(office, tenancy, day, 100_000));
    await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-05-06", paymentIds: payments.map(({ id }) => id) } });
    expect(await payoutsOf(office, { periodEnd: "2026-05-31" })).toEqual({ [ann]: 450_000 });
    await aRun(office, { ...february, bankAccountId: null });
    // The run has charged February, so January is not charged any more, and the expense of February is unpaid.
    expect(await payoutsOf(office, { periodEnd: "2026-05-31" })).toEqual({ [ann]: 460_000 });
    const { balance } = await office.call("getOwnerBalance", { params: { id: ann }, query: { asOf: "2026-05-31" } });
    expect([balance.managementFeesCents, balance.availableToPayCents]).toEqual([30_000, 460_000]);
  });

  test("takes an unpaid expense that one owner bears alone from that owner", async () => {
    const { office, ann, ben, propertyId } = await aPayingOffice();
    await anExpense(office, propertyId, 20_000, { ownerId: ann });
    expect(await payoutsOf(office)).toEqual({ [ann]: 30_000, [ben]: 50_000 });
  });

  test("and the books end with each owner at zero once the bill is paid", async () => {
    const { office, ann, ben, propertyId, bankAccountId } = await aPayingOffice();
    const bill = await anExpense(office, propertyId, 20_000, { ownerId: ann });
    for (const { id } of await draftPayouts(office)) {
      await approvePayouts(office, [{ id }]);
      expect((await payPayout(office, { id })).status).toBe(200);
    }
    expect((await payBill(office, bankAccountId, bill.id, 20_000, "2026-02-05T17:00:00.000Z")).status).toBe(200);
    expect([(await ownerLedgerOf(office, ann)).closing, (await ownerLedgerOf(office, ben)).closing]).toEqual([0, 0]);
  });

  test("is refused when the owner's own money has been spent since it was drafted, although the property has money of others", async () => {
    const { office, ann, ben, propertyId, bankAccountId } = await aPayingOffice();
    const payable = (await draftPayouts(office)).find(({ ownerId }) => ownerId === ann)!;
    await approvePayouts(office, [payable]);
    const bill = await anExpense(office, propertyId, 20_000, { ownerId: ann });
    await payBill(office, bankAccountId, bill.id, 20_000);
    const paid = await payPayout(office, payable);
    expect([paid.status, (await ownerLedgerOf(office, ann)).closing, (await ownerLedgerOf(office, ben)).closing]).toEqual([409, 30_000, 50_000]);
  });

  test("an expense that one owner bears alone is not paid with the other owner's money", async () => {
    const { office, ann, propertyId, bankAccountId } = await aPayingOffice();
    const bill = await anExpense(office, propertyId, 60_000, { ownerId: ann });
    const { status } = await payBill(office, bankAccountId, bill.id, 60_000);
    expect([status, (await ownerLedgerOf(office, ann)).closing]).toEqual([409, 50_000]);
  });

  test("from two bank accounts pays a former owner once", async () => {
    const { office, ann, ben, propertyId, bankAccountId } = await aPayingOffice();
    const reserve = await aBankAccount(office, "reserve");
    await office.call("replaceOwnership", {
      params: { id: propertyId },
      body: { effectiveDate: "2026-01-20", shares: [{ ownerId: ben, shareBps: 10_000 }] },
    });
    // Ann has earned 500.00 in all, Ben 500.00.
    const body = {
      fromBankAccountId: bankAccountId,
      toBankAccountId: reserve,
      amountCents: 50_000,
      occurredAt: "2026-01-10T17:00:00.000Z",
      allocations: [{ propertyId, amountCents: 50_000 }],
    };
    await office.call("createTransfer", { body });
    const drafts = [...(await draftPayouts(office, { bankAccountId })), ...(await draftPayouts(office, { bankAccountId: reserve }))];
    const statuses = [];
    for (const { id } of drafts) {
      await approvePayouts(office, [{ id }]);
      statuses.push((await payPayout(office, { id })).status);
    }
    const toAnn = drafts.filter(({ ownerId }) => ownerId === ann).map(({ amountCents }) => amountCents);
    expect([toAnn, statuses, (await ownerLedgerOf(office, ann)).closing]).toEqual([[25_000, 25_000], [200, 200, 200, 200], 0]);
  });

  test("is the same as before after a transfer of one owner's money is voided", async () => {
    const { office, ann, ben, propertyId, bankAccountId } = await aPayingOffice();
    const places = { fromBankAccountId: bankAccountId, toBankAccountId: await aBankAccount(office, "reserve"), occurredAt: "2026-01-10T17:00:00.000Z" };
    const body = { ...places, amountCents: 30_000, allocations: [{ propertyId, ownerId: ann, amountCents: 30_000 }] };
    const { transfer } = await office.call("createTransfer", { body });
    expect(await payoutsOf(office, { bankAccountId })).toEqual({ [ann]: 20_000, [ben]: 50_000 });
    await office.call("voidTransfer", { params: { id: transfer.id }, body: { reason: "wrong account" } });
    expect(await payoutsOf(office, { bankAccountId })).toEqual({ [ann]: 50_000, [ben]: 50_000 });
  });

  test("is not more than the owner's ledger when the company has paid a bill of the property from its own account", async () => {
    const { office, ann, propertyId } = await aPayingOffice({ annBps: 10_000 });
    const business = await aBankAccount(office, "business", { openingBalanceCents: 50_000 });
    const bill = await anExpense(office, propertyId, 20_000);
    expect((await payBill(office, business, bill.id, 20_000)).status).toBe(200);
    expect((await ownerLedgerOf(office, ann, { to: "2026-01-31" })).closing).toBe(80_000);
    expect(await payoutsOf(office)).toEqual({ [ann]: 80_000 });
  });

  test("does not pay the owner money that the company has advanced to the property", async () => {
    const { office, ann, propertyId, bankAccountId } = await aPayingOffice({ annBps: 10_000 });
    const business = await aBankAccount(office, "business", { openingBalanceCents: 50_000 });
    await office.call("createTransfer", {
      body: {
        fromBankAccountId: business,
        toBankAccountId: bankAccountId,
        amountCents: 20_000,
        occurredAt: "2026-01-10T17:00:00.000Z",
        allocations: [{ propertyId, amountCents: 20_000 }],
      },
    });
    expect((await ownerLedgerOf(office, ann)).closing).toBe(100_000);
    expect(await payoutsOf(office)).toEqual({ [ann]: 100_000 });
  });

  test("of February changes nothing in the balance at the end of January", async () => {
    const { office, ann, bankAccountId } = await aPayingOffice({ annBps: 10_000 });
    const balance = async () => (await office.call("getOwnerBalance", { params: { id: ann }, query: { asOf: "2026-01-31" } })).balance;
    const before = await balance();
    const { id } = (await draftPayouts(office))[0]!;
    await approvePayouts(office, [{ id }]);
    await payPayout(office, { id });
    expect((await subLedgersOf(office, bankAccountId, "2026-01-31")).totals[0]).toBe(100_000);
    expect(await balance()).toMatchObject({ cashCents: before.cashCents });
  });

  test("is not paid to an owner whose payouts are on hold by now", async () => {
    const { office, ann } = await aPayingOffice({ annBps: 10_000 });
    const { id } = (await draftPayouts(office))[0]!;
    await approvePayouts(office, [{ id }]);
    await office.call("updateOwner", { params: { id: ann }, body: { holdPayouts: true } });
    expect((await payPayout(office, { id })).status).toBe(409);
  });

  test("is not paid to another owner from an account that holds the money of one owner alone", async () => {
    const { office, ann, ben, propertyId, bankAccountId } = await aPayingOffice();
    const { bankAccount } = await office.call("createBankAccount", {
      body: { name: "Ann alone", institutionName: "First Bank", accountMask: "4321", accountType: "operating", ownerId: ann },
    });
    const transfer = await office.attempt("createTransfer", {
      body: {
        fromBankAccountId: bankAccountId,
        toBankAccountId: bankAccount.id,
        amountCents: 40_000,
        occurredAt: "2026-01-10T17:00:00.000Z",
        allocations: [{ propertyId, ownerId: ben, amountCents: 40_000 }],
      },
    });
    const lines = transfer.status === 200 ? await payoutsOf(office, { bankAccountId: bankAccount.id }) : {};
    expect([transfer.status >= 400, lines]).toEqual([true, {}]);
  });

  test("is refused when a bill was paid since, of which the other owner's part would remain uncovered", async () => {
    const { office, ann, ben, propertyId, bankAccountId } = await aPayingOffice({ annBps: 6_000, rentCents: 1_000 });
    const payables = await draftPayouts(office);
    await approvePayouts(office, payables);
    const bill = await anExpense(office, propertyId, 500);
    await payBill(office, bankAccountId, bill.id, 500);
    const paid = await payPayout(
      office,
      payables.find(({ ownerId }) => ownerId === ben)!,
    );
    expect([paid.status, paid.body.code]).toEqual([409, "insufficient_trust_funds"]);
    expect([(await ownerLedgerOf(office, ann)).closing, (await ownerLedgerOf(office, ben)).closing]).toEqual([300, 200]);
  });

  test("keeps the reserve of the property as it is when it is paid", async () => {
    const { office, propertyId } = await aPayingOffice({ annBps: 10_000, rentCents: 1_000 });
    const payables = await draftPayouts(office);
    await approvePayouts(office, payables);
    await office.call("updateProperty", { params: { id: propertyId }, body: { reserveCents: 500 } });
    expect((await payPayout(office, payables[0]!)).body.code).toBe("insufficient_trust_funds");
    await office.call("updateProperty", { params: { id: propertyId }, body: { reserveCents: 0 } });
    expect((await payPayout(office, payables[0]!)).status).toBe(200);
  });
});

test("an owner is paid, and a repair too, while a former owner owes the property money", async () => {
  const { office, ann, propertyId, bankAccountId, ...tenancy } = await aPayingOffice({ annBps: 10_000, rentCents: 1_000 });
  const cat = await aPayee(office, "Cat");
  const share = (ownerId: string) => [{ ownerId, shareBps: 10_000 }];
  await office.call("replaceOwnership", { params: { id: propertyId }, body: { effectiveDate: "2026-02-01", shares: share(cat) } });
  const payables = await draftPayouts(office);
  await approvePayouts(office, payables);
  expect((await payPayout(office, payables[0]!)).status).toBe(200);
  const { payments } = await office.call("listPayments", { query: {} });
  await office.call("reversePayment", { params: { id: payments[0]!.id }, body: { reason: "nsf", reversedAt: "2026-02-10T17:00:00.000Z" } });
  const rent = await aCharge(office, tenancy.leaseId, 2_500, "2026-02-15");
  const receivedAt = "2026-02-15T17:00:00.000Z";
  const { payment } = await office.call("recordPayment", {
    body: { ...aPayment(tenancy, 2_500), receivedAt, allocations: [{ chargeId: rent, amountCents: 2_500 }] },
  });
  await office.call("createDeposit", { body: { bankAccountId, depositedOn: "2026-02-16", paymentIds: [payment.id] } });
  expect([(await ownerLedgerOf(office, ann)).closing, (await ownerLedgerOf(office, cat)).closing]).toEqual([-1_000, 2_500]);

  const repair = await anExpense(office, propertyId, 50, { incurredOn: "2026-02-17" });
  expect((await payBill(office, bankAccountId, repair.id, 50, "2026-02-17T17:00:00.000Z")).status).toBe(200);
  const [ofCat] = await draftPayouts(office, { periodEnd: "2026-02-28" });
  expect(ofCat).toMatchObject({ ownerId: cat, amountCents: 1_450 });
  await approvePayouts(office, [ofCat!]);
  expect((await office.attempt("payOwnerPayable", { params: { id: ofCat!.id }, body: { paidAt: "2026-03-01T17:00:00.000Z" } })).status).toBe(200);
});

describe("payouts from one of two bank accounts of a property that was sold", () => {
  const FEBRUARY = { periodEnd: "2026-02-28" };

  /** A property that Ann sold to Cat on February 1, with 50.00 of Cat's rent in the operating account, and money in another one. */
  async function aSoldProperty() {
    const { office, ann, propertyId, bankAccountId, ...tenancy } = await aPayingOffice({ annBps: 10_000, rentCents: 1_000 });
    for (const payable of await draftPayouts(office)) {
      await approvePayouts(office, [payable]);
      await payPayout(office, payable);
    }
    const [cat, other] = [await aPayee(office, "Cat"), await aBankAccount(office, "reserve")];
    await office.call("replaceOwnership", { params: { id: propertyId }, body: { effectiveDate: "2026-02-01", shares: [{ ownerId: cat, shareBps: 10_000 }] } });
    const receive = async (cents: number, dueDate: string) => {
      const allocations = [{ chargeId: await aCharge(office, tenancy.leaseId, cents, dueDate), amountCents: cents }];
      const body = { ...aPayment(tenancy, cents), receivedAt: "2026-02-03T17:00:00.000Z", allocations };
      return (await office.call("recordPayment", { body })).payment.id;
    };
    const deposit = (paymentId: string, into: string) =>
      office.call("createDeposit", { body: { bankAccountId: into, depositedOn: "2026-02-04", paymentIds: [paymentId] } });
    await deposit(await receive(5_000, "2026-02-01"), bankAccountId);
    const payouts = (from = bankAccountId) => payoutsOf(office, { ...FEBRUARY, bankAccountId: from });
    return { office, ann, cat, propertyId, bankAccountId, other, receive, deposit, payouts };
  }

  test("use no money of the buyer for what the seller has undeposited or in the other account", async () => {
    const { ann, cat, other, receive, deposit, payouts } = await aSoldProperty();
    const arrears = await receive(3_000, "2026-01-15");
    expect(await payouts()).toEqual({ [cat]: 5_000 });
    await deposit(arrears, other);
    expect([await payouts(), await payouts(other)]).toEqual([{ [cat]: 5_000 }, { [ann]: 3_000 }]);
  });

  test("hold back the reserve from the buyer when the seller's money in the other account was paid out or spent", async () => {
    const { office, ann, cat, propertyId, bankAccountId, other, receive, deposit, payouts } = await aSoldProperty();
    await deposit(await receive(3_000, "2026-01-15"), other);
    const [payable] = await draftPayouts(office, { ...FEBRUARY, bankAccountId: other });
    await approvePayouts(office, [payable!]);
    const paid = await office.attempt("payOwnerPayable", { params: { id: payable!.id }, body: { paidAt: "2026-03-01T17:00:00.000Z" } });
    const bill = await anExpense(office, propertyId, 200, { incurredOn: "2026-01-20" });
    await deposit(await receive(200, "2026-01-16"), other);
    expect([paid.status, (await payBill(office, other, bill.id, 200, "2026-02-05T17:00:00.000Z")).status]).toEqual([200, 200]);
    await deposit(await receive(1_000, "2026-01-17"), bankAccountId);
    await office.call("updateProperty", { params: { id: propertyId }, body: { reserveCents: 1_000 } });
    expect(await payouts()).toEqual({ [ann]: 1_000, [cat]: 4_000 });
  });

  test("and a bill of the seller use no money of the buyer while the seller's own money is undeposited", async () => {
    const { office, ann, cat, propertyId, bankAccountId, receive, deposit, payouts } = await aSoldProperty();
    const arrears = await receive(3_000, "2026-01-15");
    const bill = await anExpense(office, propertyId, 2_000, { incurredOn: "2026-01-20" });
    const pay = () => payBill(office, bankAccountId, bill.id, 2_000, "2026-02-05T17:00:00.000Z");
    const refused = await pay();
    expect([refused.status, refused.body.code, await payouts()]).toEqual([409, "insufficient_trust_funds", { [cat]: 5_000 }]);
    await deposit(arrears, bankAccountId);
    expect([(await pay()).status, await payouts()]).toEqual([200, { [ann]: 1_000, [cat]: 5_000 }]);
  });

  test("follow contributions and transfers that name their owner", async () => {
    const { office, ann, cat, propertyId, bankAccountId, other, receive, deposit, payouts } = await aSoldProperty();
    const contribution = { propertyId, amountCents: 700, receivedAt: "2026-02-05T17:00:00.000Z", bankAccountId: other, paymentMethod: "check" as const };
    await office.call("createOwnerContribution", { params: { id: cat }, body: contribution });
    expect([await payouts(), await payouts(other)]).toEqual([{ [cat]: 5_000 }, { [cat]: 700 }]);
    await deposit(await receive(3_000, "2026-01-15"), bankAccountId);
    const allocations = [{ kind: "owner" as const, propertyId, ownerId: ann, amountCents: 3_000 }];
    const transfer = { fromBankAccountId: bankAccountId, toBankAccountId: other, amountCents: 3_000, occurredAt: "2026-02-06T17:00:00.000Z", allocations };
    await office.call("createTransfer", { body: transfer });
    expect([await payouts(), await payouts(other)]).toEqual([{ [cat]: 5_000 }, { [ann]: 3_000, [cat]: 700 }]);
  });
});

test("a former owner is paid in full while the new owner has no money for an unpaid bill", async () => {
  const { office, ann, propertyId, bankAccountId } = await aPayingOffice({ annBps: 10_000, rentCents: 1_000 });
  const cat = await aPayee(office, "Cat");
  await office.call("replaceOwnership", { params: { id: propertyId }, body: { effectiveDate: "2026-02-01", shares: [{ ownerId: cat, shareBps: 10_000 }] } });
  const bill = await anExpense(office, propertyId, 1_300, { incurredOn: "2026-02-17" });
  const { preview } = await office.call("previewOwnerPayables", { body: { periodEnd: "2026-02-28", bankAccountId } });
  expect(preview).toMatchObject({ totalCents: 1_000, lines: [{ ownerId: ann, amountCents: 1_000 }], skipped: [{ ownerId: cat, reason: "negative" }] });
  expect(preview.lines[0]!.calculation.reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(1_000);
  const payables = await draftPayouts(office, { periodEnd: "2026-02-28" });
  await approvePayouts(office, payables);
  const paid = await office.attempt("payOwnerPayable", { params: { id: payables[0]!.id }, body: { paidAt: "2026-03-01T17:00:00.000Z" } });
  expect([paid.status, (await payBill(office, bankAccountId, bill.id, 1_300, "2026-03-02T17:00:00.000Z")).status]).toEqual([200, 409]);
  expect([(await ownerLedgerOf(office, ann)).closing, (await ownerLedgerOf(office, cat)).closing]).toEqual([0, 0]);
});

test("a property with money of its owners in trust cannot be deleted", async () => {
  const { office, ann, propertyId, leaseId } = await aPayingOffice({ annBps: 10_000 });
  await office.call("terminateLease", { params: { id: leaseId }, body: { terminationDate: "2026-01-31", finalRent: "none" } });
  const removed = await office.attempt("deleteProperty", { params: { id: propertyId } });
  expect([removed.status, removed.body.code, removed.body.message]).toEqual([409, "resource_in_use", expect.stringContaining("100000 cents")]);
  expect(await payoutsOf(office)).toEqual({ [ann]: 100_000 });
});
