import { describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { aBillPayment, anExpense, balancesOn } from "../../payables/payables.fixtures.ts";
import { aBankAccount, registerOf, subLedgersOf } from "../../trust/trust.fixtures.ts";
import { aContribution, anOwnedProperty, anOwner, ownerLedgerOf } from "../owners.fixtures.ts";

const PERIOD = { periodEnd: "2026-01-31" };
const PAID_AT = "2026-02-03T17:00:00.000Z";

/** Creates an owner who is paid by check and returns its id. */
async function aPayee(office: Office, fullName: string): Promise<string> {
  const id = await anOwner(office, fullName);
  await office.call("updateOwner", { params: { id }, body: { payoutMethod: "check" } });
  return id;
}

/** An office with a property that Ann (60 %) and Ben (40 %) own, with 1,001 cents of rent in the only operating account. */
async function aPayingOffice() {
  const office = await anOffice();
  const [ann, ben] = [await aPayee(office, "Ann"), await aPayee(office, "Ben")];
  return { office, ann, ben, ...(await anOwnedProperty(office, { rentCents: 1_001, shares: { [ann]: 6_000, [ben]: 4_000 } })) };
}

const previewOf = async (office: Office, change: object = {}) => (await office.call("previewOwnerPayables", { body: { ...PERIOD, ...change } })).preview;
const run = async (office: Office, change: object = {}) => (await office.call("runOwnerPayables", { body: { ...PERIOD, ...change } })).ownerPayables;
const approve = (office: Office, id: string) => office.call("approveOwnerPayable", { params: { id } });
const pay = (office: Office, id: string, body: object = {}) => office.attempt("payOwnerPayable", { params: { id }, body: { paidAt: PAID_AT, ...body } });

describe("previewOwnerPayables", () => {
  test("has every term of each payout, which add up to its amount, and changes nothing", async () => {
    const { office, ann, ben, propertyId, bankAccountId } = await aPayingOffice();
    await office.call("updateProperty", { params: { id: propertyId }, body: { reserveCents: 100 } });
    const bill = await anExpense(office, propertyId, 200, { dueOn: "2026-01-31" });
    await anExpense(office, propertyId, 5_000, { dueOn: "2026-02-01" });
    const { lines, skipped, totalCents } = await previewOf(office);
    expect(lines.map(({ ownerId, amountCents, periodStart, method }) => [ownerId, amountCents, periodStart, method])).toEqual([
      [ann, 421, "2026-01-01", "check"],
      [ben, 280, "2026-01-01", "check"],
    ]);
    expect(lines[0]).toMatchObject({ propertyId, bankAccountId, periodEnd: "2026-01-31", grossCents: 1_001 });
    expect(lines[0]!.calculation.map(({ key, amountCents, refs }) => [key, amountCents, ...refs])).toEqual([
      ["cash", 1_001],
      ["deposits_held", 0],
      ["prepaid", 0],
      ["unpaid_expenses", -200, bill.id],
      ["pending_payments", 0],
      ["held_estimates", 0],
      ["management_fees", 0],
      ["reserve", -100],
      ["additional_reserve", 0],
      ["share", -280],
      ["account_shortage", 0],
    ]);
    expect([skipped, totalCents, (await office.call("listOwnerPayables", {})).ownerPayables]).toEqual([[], 701, []]);
  });

  test("keeps an additional reserve with its purpose, also when it is set after the payout was approved", async () => {
    const { office, ann, propertyId } = await aPayingOffice();
    const additional = { additionalReserveCents: 101, additionalReserveNote: "New roof" };
    const { property } = await office.call("updateProperty", { params: { id: propertyId }, body: { reserveCents: 100, ...additional } });
    expect(property).toMatchObject(additional);
    const { lines, totalCents } = await previewOf(office);
    const term = { key: "additional_reserve", label: "Additional reserve: New roof", amountCents: -101, refs: [] };
    expect([lines[0]!.calculation.find(({ key }) => key === term.key), totalCents]).toEqual([term, 800]);
    const { balance } = await office.call("getOwnerBalance", { params: { id: ann } });
    expect(balance).toMatchObject({ reserveCents: 100, additionalReserveCents: 101 });
    const payables = await run(office);
    for (const { id } of payables) await approve(office, id);
    await office.call("updateProperty", { params: { id: propertyId }, body: { additionalReserveCents: 102 } });
    const refused = await office.attempt("payOwnerPayables", { body: { ids: payables.map(({ id }) => id), paidAt: PAID_AT } });
    expect([refused.status, refused.body.code]).toEqual([409, "insufficient_trust_funds"]);
    await office.call("updateProperty", { params: { id: propertyId }, body: { additionalReserveCents: null, additionalReserveNote: null } });
    await office.call("payOwnerPayables", { body: { ids: payables.map(({ id }) => id), paidAt: PAID_AT } });
  });

  test("names the reason for each owner who is paid nothing", async () => {
    const { office, ann, ben, propertyId, bankAccountId } = await aPayingOffice();
    const reserved = await anOwnedProperty(office, { rentCents: 100, shares: { [ann]: 10_000 } }, bankAccountId);
    await office.call("updateProperty", { params: { id: reserved.propertyId }, body: { reserveCents: 101 } });
    const indebted = await anOwnedProperty(office, { rentCents: 100, shares: { [ann]: 10_000 } }, bankAccountId);
    await anExpense(office, indebted.propertyId, 101);
    await office.call("updateOwner", { params: { id: ben }, body: { holdPayouts: true } });
    const reasons = async () =>
      Object.fromEntries((await previewOf(office)).skipped.map((skip) => [`${skip.ownerId} ${skip.propertyId}`, [skip.reason, skip.availableCents]]));
    expect(await reasons()).toEqual({
      [`${ben} ${propertyId}`]: ["hold", 400],
      [`${ann} ${reserved.propertyId}`]: ["reserve", -1],
      [`${ann} ${indebted.propertyId}`]: ["negative", -1],
    });
    await office.call("updateOwner", { params: { id: ben }, body: { holdPayouts: false, payoutMethod: "none" } });
    expect(await reasons()).toMatchObject({ [`${ben} ${propertyId}`]: ["no_bank_details", 400] });
    await run(office);
    expect(await reasons()).toMatchObject({ [`${ann} ${propertyId}`]: ["open_payable", 601] });
  });

  test("is of one bank account, which must be named when several could pay", async () => {
    const { office, ann, bankAccountId } = await aPayingOffice();
    const other = await aBankAccount(office);
    const refused = await office.attempt("previewOwnerPayables", { body: PERIOD });
    expect([refused.status, refused.body.errors]).toMatchObject([400, [{ path: "bankAccountId", code: "required" }]]);
    expect((await previewOf(office, { bankAccountId: other })).lines).toEqual([]);
    expect((await previewOf(office, { bankAccountId, ownerIds: [ann] })).totalCents).toBe(601);
    const business = await aBankAccount(office, "business");
    const ofBusiness = await office.attempt("previewOwnerPayables", { body: { ...PERIOD, bankAccountId: business } });
    expect([ofBusiness.status, ofBusiness.body.errors]).toMatchObject([400, [{ path: "bankAccountId", code: "not_allowed" }]]);
    const early = await office.attempt("previewOwnerPayables", { body: { periodEnd: "2199-01-31", bankAccountId } });
    expect([early.status, early.body.errors]).toMatchObject([400, [{ path: "periodEnd" }]]);
  });
});

describe("payOwnerPayable", () => {
  test("pays owner distributions from the bank account, and its void restores the state before", async () => {
    const { office, ann, ben, propertyId, bankAccountId } = await aPayingOffice();
    const before = await balancesOn(office, "2026-12-31");
    const [first, second] = await run(office);
    expect([first, second]).toMatchObject([
      { ownerId: ann, amountCents: 601, status: "draft", paidAt: null, journalEntryId: null },
      { ownerId: ben, amountCents: 400 },
    ]);
    const unapproved = await pay(office, first!.id);
    expect([unapproved.status, unapproved.body.code]).toEqual([409, "invalid_transition"]);
    await approve(office, first!.id);
    const { ownerPayable } = (await pay(office, first!.id, { referenceNumber: "1001" })).body;
    expect(ownerPayable).toMatchObject({ status: "paid", paidAt: PAID_AT, referenceNumber: "1001", journalEntryId: expect.any(String) });
    expect(await balancesOn(office, "2026-12-31", { propertyId })).toMatchObject({ "1000": 400, "3200": 601 });
    expect(await registerOf(office, bankAccountId)).toEqual([
      ["2026-01-06", "deposit", 1_001, 1_001],
      ["2026-02-03", "distribution", -601, 400],
    ]);
    expect((await ownerLedgerOf(office, ann)).closing).toBe(0);
    expect((await ownerLedgerOf(office, ben)).closing).toBe(400);
    await office.call("voidOwnerPayable", { params: { id: first!.id }, body: { reason: "The check was lost" } });
    expect(await balancesOn(office, "2026-12-31")).toEqual(before);
    expect((await subLedgersOf(office, bankAccountId)).rows).toEqual([["owner", propertyId, null, 1_001]]);
    expect((await run(office)).map(({ ownerId, amountCents, periodStart }) => [ownerId, amountCents, periodStart])).toEqual([[ann, 601, "2026-01-01"]]);
    expect(await withOwnerConnection(office, findViolations)).toEqual([]);
  });

  test("names the latest statement of the owner that reports the payment", async () => {
    const { office, ann } = await aPayingOffice();
    const [payable] = await run(office);
    const params = { id: payable!.id };
    const state = async (month: "01" | "02") => {
      const period = { periodStart: `2026-${month}-01`, periodEnd: `2026-${month}-28` };
      return (await office.call("createOwnerStatement", { params: { id: ann }, body: period })).ownerStatement.id;
    };
    await state("02");
    await approve(office, payable!.id);
    await pay(office, payable!.id);
    await state("01");
    const statementId = async () => (await office.call("getOwnerPayable", { params })).ownerPayable.statementId;
    expect(await statementId()).toBeNull();
    await state("02");
    const latest = await state("02");
    expect(await statementId()).toBe(latest);
  });

  test("pays no money twice: a later run of the same period counts what was paid since", async () => {
    const { office, propertyId } = await aPayingOffice();
    const payables = await run(office);
    for (const { id } of payables) await approve(office, id);
    await office.call("payOwnerPayables", { body: { ids: payables.map(({ id }) => id), paidAt: PAID_AT } });
    const again = await previewOf(office);
    expect([again.lines, again.skipped.map(({ reason, availableCents }) => [reason, availableCents])]).toEqual([
      [],
      [
        ["below_minimum", 0],
        ["below_minimum", 0],
      ],
    ]);
    expect((await previewOf(office, { periodEnd: "2026-02-28", propertyIds: [propertyId] })).totalCents).toBe(0);
  });

  test("is refused when the property lacks the money or its reserve on the day", async () => {
    const { office, ann, propertyId, bankAccountId } = await aPayingOffice();
    await office.call("updateProperty", { params: { id: propertyId }, body: { reserveCents: 100 } });
    const payables = await run(office);
    for (const { id } of payables) await approve(office, id);
    const expense = await anExpense(office, propertyId, 1);
    await office.call("recordExpensePayment", { body: aBillPayment(bankAccountId, 1, [{ expenseId: expense.id, amountCents: 1 }]) });
    const ids = payables.map(({ id }) => id);
    const refused = await office.attempt("payOwnerPayables", { body: { ids, paidAt: PAID_AT } });
    expect([refused.status, refused.body.code]).toEqual([409, "insufficient_trust_funds"]);
    expect((await office.call("listOwnerPayables", { query: { status: "approved" } })).total).toBe(2);
    await office.call("createOwnerContribution", { params: { id: ann }, body: aContribution(propertyId, bankAccountId, 1) });
    const early = await office.attempt("payOwnerPayables", { body: { ids, paidAt: "2026-01-30T17:00:00.000Z" } });
    expect([early.status, early.body.errors]).toMatchObject([400, [{ path: "paidAt" }]]);
    await office.call("payOwnerPayables", { body: { ids, paidAt: PAID_AT } });
    expect((await subLedgersOf(office, bankAccountId)).rows).toEqual([["owner", propertyId, null, 100]]);
  });

  test("pays once for a repeated request with its key, and returns the same response", async () => {
    const { office, bankAccountId } = await aPayingOffice();
    const payables = await run(office);
    for (const { id } of payables) await approve(office, id);
    const request = { body: { ids: payables.map(({ id }) => id), paidAt: PAID_AT }, headers: { "Idempotency-Key": "payouts of January" } };
    const [first, second] = [await office.attempt("payOwnerPayables", request), await office.attempt("payOwnerPayables", request)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
    expect((await registerOf(office, bankAccountId)).filter(([, source]) => source === "distribution")).toHaveLength(2);
    expect((await office.attempt("payOwnerPayables", { body: request.body })).status).toBe(409);
  });

  test("numbers the payouts that are paid by check from the first number, in the order of the request, and the register misses none", async () => {
    const { office, ann, ben, bankAccountId } = await aPayingOffice();
    const cat = await aPayee(office, "Cat");
    await anOwnedProperty(office, { rentCents: 500, shares: { [cat]: 10_000 } }, bankAccountId);
    const payables = await run(office);
    for (const { id } of payables) await approve(office, id);
    const idOf = (ownerId: string) => payables.find((payable) => payable.ownerId === ownerId)!.id;
    const ids = [idOf(ben), idOf(cat), idOf(ann)];
    const { ownerPayables } = await office.call("payOwnerPayables", { body: { ids, paidAt: PAID_AT, firstCheckNumber: 1_002 } });
    expect(ownerPayables.map(({ ownerId, referenceNumber }) => [ownerId, referenceNumber])).toEqual([
      [ben, "1002"],
      [cat, "1003"],
      [ann, "1004"],
    ]);
    const query = { from: "2026-02-01", to: "2026-02-28" };
    const { checkRegister } = await office.call("getCheckRegister", { params: { id: bankAccountId }, query });
    expect([checkRegister.checks.map(({ number }) => number), checkRegister.missingNumbers]).toEqual([["1002", "1003", "1004"], []]);
  });

  test("wins or loses a race against a bill for the same money, and the loser takes nothing", async () => {
    const { office, propertyId, bankAccountId } = await aPayingOffice();
    const payables = await run(office);
    for (const { id } of payables) await approve(office, id);
    const expense = await anExpense(office, propertyId, 1_001);
    const bill = aBillPayment(bankAccountId, 1_001, [{ expenseId: expense.id, amountCents: 1_001 }], { paidAt: PAID_AT });
    const ids = payables.map(({ id }) => id);
    const results = await Promise.all([
      ...[1, 2, 3].map(() => office.attempt("payOwnerPayables", { body: { ids, paidAt: PAID_AT } })),
      office.attempt("recordExpensePayment", { body: bill }),
    ]);
    expect(results.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await subLedgersOf(office, bankAccountId)).rows).toEqual([]);
    // Control: the same operations without the check overdraw the property.
    const policies = { trustOverdraft: "off" as const };
    const unchecked = await aPayingOffice();
    await unchecked.office.call("updateOrganization", { body: { policies } });
    await approveAndPayAll(unchecked);
    expect((await subLedgersOf(unchecked.office, unchecked.bankAccountId)).rows).toEqual([["owner", unchecked.propertyId, null, -1_001]]);
  });
});

/** Pays all payouts of an office, and then a bill of the whole money. */
async function approveAndPayAll({ office, propertyId, bankAccountId }: { office: Office; propertyId: string; bankAccountId: string }) {
  const payables = await run(office);
  for (const { id } of payables) await approve(office, id);
  await office.call("payOwnerPayables", { body: { ids: payables.map(({ id }) => id), paidAt: PAID_AT } });
  const expense = await anExpense(office, propertyId, 1_001);
  const allocations = [{ expenseId: expense.id, amountCents: 1_001 }];
  // The settings of the ledger follow those of the organization within moments.
  for (let attempt = 0; ; attempt++) {
    const { status } = await office.attempt("recordExpensePayment", { body: aBillPayment(bankAccountId, 1_001, allocations, { paidAt: PAID_AT }) });
    if (status === 200) return;
    if (attempt === 200) throw new Error("The policy never reached the ledger.");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("runOwnerPayables", () => {
  test("drafts each payout once when several runs are sent at once", async () => {
    const { office } = await aPayingOffice();
    const runs = await Promise.all(Array.from({ length: 6 }, () => run(office)));
    expect(runs.flat()).toHaveLength(2);
    expect((await office.call("listOwnerPayables", {})).total).toBe(2);
  });

  test("pays what was earned before a share was sold to the former owner", async () => {
    const { office, ann, ben, propertyId } = await aPayingOffice();
    const cat = await aPayee(office, "Cat");
    const shares = [
      { ownerId: ben, shareBps: 4_000 },
      { ownerId: cat, shareBps: 6_000 },
    ];
    await office.call("replaceOwnership", { params: { id: propertyId }, body: { effectiveDate: "2026-02-01", shares } });
    const payeesOf = async (periodEnd: string) => (await previewOf(office, { periodEnd })).lines.map(({ ownerId, amountCents }) => [ownerId, amountCents]);
    expect(await payeesOf("2026-01-31")).toEqual([
      [ann, 601],
      [ben, 400],
    ]);
    // The rent of January was Ann's, who had not sold yet.
    expect(await payeesOf("2026-02-28")).toEqual([
      [ben, 400],
      [ann, 601],
    ]);
    expect((await previewOf(office, { periodEnd: "2026-02-28" })).skipped).toMatchObject([{ ownerId: cat, reason: "below_minimum" }]);
  });
});

describe("updateOwnerPayable", () => {
  test("corrects the number of a payout that was paid, also after its void, and nothing else of it", async () => {
    const { office, ann } = await aPayingOffice();
    const { id } = (await run(office, { ownerIds: [ann] }))[0]!;
    const change = (body: object) => office.attempt("updateOwnerPayable", { params: { id }, body });
    expect(await change({ referenceNumber: "1001" })).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    await approve(office, id);
    await pay(office, id, { referenceNumber: "1001" });
    expect((await change({ referenceNumber: "1002" })).body.ownerPayable).toMatchObject({ status: "paid", referenceNumber: "1002", amountCents: 601 });
    expect(await change({ referenceNumber: "1003", method: "ach" })).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    expect((await office.call("voidOwnerPayable", { params: { id } })).ownerPayable).toMatchObject({ status: "voided", voidReason: null });
    expect((await change({ referenceNumber: null })).body.ownerPayable).toMatchObject({ status: "voided", referenceNumber: null });
  });

  test("lowers a draft with a reason and never raises it", async () => {
    const { office, propertyId, bankAccountId, ann } = await aPayingOffice();
    const { id } = (await run(office, { ownerIds: [ann] }))[0]!;
    const change = (body: object) => office.attempt("updateOwnerPayable", { params: { id }, body });
    expect((await change({ amountCents: 602, reason: "More" })).body.errors).toMatchObject([{ path: "amountCents", code: "sum_exceeded" }]);
    expect((await change({ amountCents: 600 })).body.errors).toMatchObject([{ path: "reason", code: "required" }]);
    expect((await change({ amountCents: 600, reason: "Repair in February" })).body.ownerPayable).toMatchObject({
      amountCents: 600,
      reductionReason: "Repair in February",
    });
    await approve(office, id);
    expect((await change({ amountCents: 500, reason: "Late" })).status).toBe(409);
    await pay(office, id, { method: "ach" });
    expect((await subLedgersOf(office, bankAccountId)).rows).toEqual([["owner", propertyId, null, 401]]);
  });
});
