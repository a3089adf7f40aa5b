import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { requireBalancedTrialBalance } from "../../../../../test/support/tenancy.ts";
import { recordEvents } from "../../../test/ledger.fixtures.ts";
import { pageTexts } from "../../pdf/page-texts.fixtures.ts";
import { closeMonth, periodOf } from "../../periods/periods.fixtures.ts";
import { aBankAccount } from "../trust.fixtures.ts";
import { aDraft, adjust, aJanuary, clearAmounts, depositRent, itemsOf, JANUARY, reconcileJanuary } from "./reconciliations.fixtures.ts";

const attemptCreate = (office: Office, bankAccountId: string, statementEndDate: string) =>
  office.attempt("createReconciliation", { body: { bankAccountId, statementEndDate, statementEndingBalanceCents: 0 } });
const finalize = (office: Office, id: string, body: object = {}) => office.attempt("finalizeReconciliation", { params: { id }, body });
const voidIt = (office: Office, id: string) => office.attempt("voidReconciliation", { params: { id }, body: { reason: "wrong statement" } });
const pdfOf = async (office: Office, id: string) =>
  Buffer.from(await (await office.raw("GET", `/api/trust/reconciliations/${id}/report?format=pdf`)).arrayBuffer());

describe("a month with a deposit in transit and an outstanding check", () => {
  test("is reconciled to the cent between bank, books and beneficiaries, and both clear in the next month", async () => {
    const office = await anOffice();
    const { bankAccountId, tenancy } = await aJanuary(office);
    const id = await aDraft(office, bankAccountId, JANUARY.endingCents);
    expect(await itemsOf(office, id)).toEqual([
      ["2026-01-06", "deposit", 150_000, false],
      ["2026-01-10", "expense_payment", -30_000, false],
      ["2026-01-20", "expense_payment", -12_000, false],
      ["2026-01-31", "deposit", 90_000, false],
      ["2026-01-31", "adjustment", -500, false],
      ["2026-01-31", "adjustment", 50, false],
    ]);
    expect(await clearAmounts(office, id, 150_000, -30_000)).toMatchObject({
      status: "draft",
      statementStartDate: "2026-01-01",
      openingBalanceCents: 100_000,
      clearedDepositsCents: 150_000,
      clearedWithdrawalsCents: 30_000,
      clearedBalanceCents: 220_000,
      differenceCents: -450,
    });
    expect(await finalize(office, id)).toMatchObject({ status: 409, body: { code: "reconciliation_out_of_balance" } });
    await clearAmounts(office, id, -500, 50);
    const proof = {
      adjustedBankCents: 297_550,
      depositsInTransitCents: 90_000,
      outstandingChecksCents: 12_000,
      bookCents: 297_550,
      liabilityCents: 297_550,
      byBeneficiary: [
        { kind: "owner", id: tenancy.propertyId, propertyId: tenancy.propertyId, name: "Elm Street 1", balanceCents: 198_000 },
        { kind: "manager", id: null, propertyId: null, name: "Management company", balanceCents: 99_550 },
      ],
      isBalanced: true,
    };
    expect((await office.call("getReconciliation", { params: { id } })).reconciliation).toMatchObject({ status: "draft", differenceCents: 0, threeWay: proof });
    const { body } = await finalize(office, id);
    expect(body.reconciliation).toMatchObject({
      status: "finalized",
      differenceCents: 0,
      threeWay: proof,
      varianceNote: null,
      finalizedByUserId: office.userId,
      finalizedAt: expect.any(String),
    });
    expect((await office.call("getBankAccount", { params: { id: bankAccountId } })).balances).toEqual({
      bookCents: 297_550,
      clearedCents: 219_550,
      undepositedCents: 0,
      outstandingChecksCents: 12_000,
      depositsInTransitCents: 90_000,
    });
    const february = await aDraft(office, bankAccountId, 297_550, "2026-02-28");
    expect(await itemsOf(office, february)).toEqual([
      ["2026-01-20", "expense_payment", -12_000, false],
      ["2026-01-31", "deposit", 90_000, false],
    ]);
    expect(await clearAmounts(office, february, -12_000, 90_000)).toMatchObject({
      statementStartDate: "2026-02-01",
      openingBalanceCents: 219_550,
      differenceCents: 0,
    });
    expect((await finalize(office, february)).body.reconciliation.threeWay).toMatchObject({
      adjustedBankCents: 297_550,
      outstandingChecksCents: 0,
      isBalanced: true,
    });
    await requireBalancedTrialBalance(office);
  });

  test("keeps its proof and its items when an entry is posted into it later, which is an item of the next one", async () => {
    const office = await anOffice();
    const { bankAccountId } = await aJanuary(office);
    const id = await reconcileJanuary(office, bankAccountId);
    const before = [await office.call("getReconciliation", { params: { id } }), await itemsOf(office, id), await pdfOf(office, id)];
    await adjust(office, bankAccountId, "interest", 7, "2026-01-15");
    expect([await office.call("getReconciliation", { params: { id } }), await itemsOf(office, id), await pdfOf(office, id)]).toEqual(before);
    const next = await aDraft(office, bankAccountId, 0, "2026-02-28");
    expect((await itemsOf(office, next))[0]).toEqual(["2026-01-15", "adjustment", 7, false]);
  });
});

describe("createReconciliation", () => {
  test("needs a bank account that has no draft and is active, and a statement after the last one", async () => {
    const office = await anOffice();
    const { bankAccountId } = await aJanuary(office);
    expect(await attemptCreate(office, randomUUID(), "2026-01-31")).toMatchObject({
      status: 400,
      body: { errors: [{ path: "bankAccountId", code: "not_found" }] },
    });
    const id = await reconcileJanuary(office, bankAccountId);
    for (const end of ["2026-01-31", "2025-12-31"])
      expect(await attemptCreate(office, bankAccountId, end)).toMatchObject({
        status: 400,
        body: { errors: [{ path: "statementEndDate", code: "before_start" }] },
      });
    const draft = await aDraft(office, bankAccountId, 0, "2026-02-28");
    expect(await attemptCreate(office, bankAccountId, "2026-03-31")).toMatchObject({ status: 409, body: { code: "resource_in_use" } });
    const { reconciliations } = await office.call("listReconciliations", { query: { bankAccountId } });
    expect(reconciliations.map((each) => each.id)).toEqual([draft, id]);
    const ids = async (query: Record<string, string>) => (await office.call("listReconciliations", { query })).reconciliations.map((each) => each.id);
    expect([await ids({ status: "finalized" }), await ids({ endAfter: "2026-02-01" }), await ids({ endBefore: "2026-01-31" })]).toEqual([[id], [draft], [id]]);
    const archived = await aBankAccount(office, "reserve");
    await office.call("archiveBankAccount", { params: { id: archived } });
    expect(await attemptCreate(office, archived, "2026-01-31")).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
  });

  test("keeps its bank account from being archived", async () => {
    const office = await anOffice();
    const bankAccountId = await aBankAccount(office, "business");
    const id = await aDraft(office, bankAccountId, 0);
    const refused = { status: 409, body: { code: "resource_in_use" } };
    expect(await office.attempt("archiveBankAccount", { params: { id: bankAccountId } })).toMatchObject(refused);
    expect(await office.attempt("updateBankAccount", { params: { id: bankAccountId }, body: { isActive: false } })).toMatchObject(refused);
    expect((await finalize(office, id)).status).toBe(200);
    expect((await office.attempt("archiveBankAccount", { params: { id: bankAccountId } })).status).toBe(200);
  });
});

describe("updateReconciliation", () => {
  test("changes the statement, and unclears what is dated after its new end", async () => {
    const office = await anOffice();
    const { bankAccountId } = await aJanuary(office);
    const id = await aDraft(office, bankAccountId, 1);
    await clearAmounts(office, id, 150_000, -500);
    const { reconciliation } = await office.call("updateReconciliation", {
      params: { id },
      body: { statementEndDate: "2026-01-15", statementEndingBalanceCents: 250_000 },
    });
    expect(reconciliation).toMatchObject({ statementEndDate: "2026-01-15", clearedWithdrawalsCents: 0, differenceCents: 0 });
    expect((await itemsOf(office, id)).map(([, , cents]) => cents)).toEqual([150_000, -30_000]);
    expect((await finalize(office, id)).status).toBe(200);
    expect(await office.attempt("updateReconciliation", { params: { id }, body: { statementEndingBalanceCents: 1 } })).toMatchObject({
      status: 409,
      body: { code: "invalid_transition" },
    });
  });
});

describe("clearTransactions and unclearTransactions", () => {
  test("are repeatable and each other's inverse, and name what is no item", async () => {
    const office = await anOffice();
    const { bankAccountId } = await aJanuary(office);
    const id = await aDraft(office, bankAccountId, 0);
    const before = await itemsOf(office, id);
    const { items } = await office.call("listReconciliationItems", { params: { id } });
    const transactionIds = items.slice(0, 2).map(({ transactionId }) => transactionId);
    for (let times = 0; times < 2; times++)
      expect((await office.call("clearTransactions", { params: { id }, body: { transactionIds } })).reconciliation.clearedBalanceCents).toBe(220_000);
    const { items: cleared } = await office.call("listReconciliationItems", { params: { id }, query: { cleared: "true" } });
    expect(cleared.map(({ transactionId }) => transactionId)).toEqual(transactionIds);
    await office.call("unclearTransactions", { params: { id }, body: { transactionIds } });
    expect(await itemsOf(office, id)).toEqual(before);
    for (const operation of ["clearTransactions", "unclearTransactions"] as const)
      expect(await office.attempt(operation, { params: { id }, body: { transactionIds: [transactionIds[0]!, randomUUID()] } })).toMatchObject({
        status: 400,
        body: { errors: [{ path: "transactionIds.1", code: "not_found" }] },
      });
  });

  test("match several transactions with one statement line, whose amount they add up to", async () => {
    const office = await anOffice();
    const bankAccountId = await aBankAccount(office, "business");
    for (const cents of [100, 250, 40]) await adjust(office, bankAccountId, "interest", cents, "2026-01-10");
    const { statementLines } = await office.call("uploadStatementLines", {
      params: { id: bankAccountId },
      body: { file: new File(["Date,Amount\n2026-01-12,3.50\n"], "january.csv") },
    });
    const id = await aDraft(office, bankAccountId, 350);
    const { items } = await office.call("listReconciliationItems", { params: { id } });
    const idsOf = (...amounts: number[]) => items.filter(({ amountCents }) => amounts.includes(amountCents)).map(({ transactionId }) => transactionId);
    const statementLineId = statementLines[0]!.id;
    const clear = (transactionIds: string[], line = statementLineId) =>
      office.attempt("clearTransactions", { params: { id }, body: { transactionIds, statementLineId: line } });
    expect(await clear(idsOf(100, 40))).toMatchObject({ status: 400, body: { errors: [{ path: "transactionIds", code: "mismatch" }] } });
    expect(await clear(idsOf(100, 250), randomUUID())).toMatchObject({ status: 400, body: { errors: [{ path: "statementLineId", code: "not_found" }] } });
    expect((await clear(idsOf(100, 250))).body.reconciliation.differenceCents).toBe(0);
    expect(await clear(idsOf(100, 250))).toMatchObject({ status: 409, body: { code: "resource_in_use" } });
    const matches = async () =>
      (await office.call("listReconciliationItems", { params: { id }, query: { cleared: "true" } })).items.map((item) => [
        item.statementLineId,
        item.matchReason,
      ]);
    expect(await matches()).toEqual([
      [statementLineId, "manual"],
      [statementLineId, "manual"],
    ]);
    await office.call("unclearTransactions", { params: { id }, body: { transactionIds: idsOf(100) } });
    expect(await matches()).toEqual([[null, null]]);
  });
});

describe("items", () => {
  test("leave a voided transaction and its reversal out, unless one of them is cleared", async () => {
    const office = await anOffice();
    const bankAccountId = await aBankAccount(office, "business", { openingBalanceCents: 1_000 });
    const [voided, cleared] = [
      await adjust(office, bankAccountId, "bank_fee", 70, "2026-01-10"),
      await adjust(office, bankAccountId, "bank_fee", 30, "2026-01-11"),
    ];
    const undo = (adjustmentId: string) => office.call("voidBankAdjustment", { params: { id: bankAccountId, adjustmentId }, body: { reason: "not taken" } });
    await undo(voided);
    const id = await aDraft(office, bankAccountId, 970);
    await clearAmounts(office, id, -30);
    await undo(cleared);
    expect(await itemsOf(office, id)).toEqual([
      ["2026-01-11", "adjustment", -30, true],
      ["2026-01-11", "reversal", 30, false],
    ]);
    expect((await finalize(office, id)).body.reconciliation.threeWay).toMatchObject({ depositsInTransitCents: 30, bookCents: 1_000, isBalanced: true });
    expect((await office.call("getBankAccount", { params: { id: bankAccountId } })).balances).toMatchObject({
      bookCents: 1_000,
      clearedCents: 970,
      depositsInTransitCents: 30,
      outstandingChecksCents: 0,
    });
  });
});

describe("finalizeReconciliation", () => {
  test("needs an explanation when money of one beneficiary covers what another one lacks, which the checklist of the month names", async () => {
    const office = await anOffice();
    const { bankAccountId } = await aJanuary(office);
    // The fee of the bank is more than the management company has in the account.
    await adjust(office, bankAccountId, "bank_fee", 100_000, "2026-01-31");
    const id = await aDraft(office, bankAccountId, 119_550);
    await clearAmounts(office, id, ...JANUARY.cleared, -100_000);
    expect(await finalize(office, id)).toMatchObject({ status: 409, body: { code: "reconciliation_out_of_balance" } });
    expect(await finalize(office, id, { acknowledgeThreeWayVariance: true })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "note", code: "required" }] },
    });
    expect((await office.call("getReconciliation", { params: { id } })).reconciliation.status).toBe("draft");
    const { body } = await finalize(office, id, { acknowledgeThreeWayVariance: true, note: "The bank returns the fee in February." });
    expect(body.reconciliation).toMatchObject({
      status: "finalized",
      varianceNote: "The bank returns the fee in February.",
      threeWay: { bookCents: 197_550, liabilityCents: 198_000, isBalanced: false },
    });
    const { checklist } = await office.call("checkAccountingPeriod", { params: { id: (await periodOf(office, "2026-01")).id } });
    expect(checklist.find(({ key }) => key === "three_way_variance")).toMatchObject({ count: 1 });
  });

  test("publishes each step", async () => {
    const office = await anOffice();
    const { bankAccountId } = await aJanuary(office);
    const events = await recordEvents(office);
    const id = await reconcileJanuary(office, bankAccountId);
    await voidIt(office, id);
    for (const type of ["reconciliation.created", "reconciliation.updated", "reconciliation.finalized", "reconciliation.voided"] as const)
      expect((await events.waitForEvent(type, id)).data).toEqual({ bankAccountId, statementEndDate: "2026-01-31" });
    await events.close();
  });
});

describe("voidReconciliation", () => {
  test("frees everything again, latest first, for admins only", async () => {
    const office = await anOffice();
    const { bankAccountId } = await aJanuary(office);
    const balances = async () => (await office.call("getBankAccount", { params: { id: bankAccountId } })).balances;
    const before = await balances();
    const january = await reconcileJanuary(office, bankAccountId);
    const february = await aDraft(office, bankAccountId, 0, "2026-02-28");
    const manager = await office.colleague("manager");
    expect((await manager.attempt("voidReconciliation", { params: { id: january }, body: { reason: "?" } })).status).toBe(403);
    expect(await voidIt(office, january)).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    expect((await voidIt(office, february)).body.reconciliation).toMatchObject({ status: "voided", voidReason: "wrong statement" });
    expect((await voidIt(office, january)).body.reconciliation).toMatchObject({ status: "voided", clearedBalanceCents: JANUARY.endingCents });
    expect(await voidIt(office, january)).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    expect(await balances()).toEqual(before);
    const again = await reconcileJanuary(office, bankAccountId);
    const withoutReason = await office.call("voidReconciliation", { params: { id: await aDraft(office, bankAccountId, 0, "2026-02-28") } });
    expect(withoutReason.reconciliation).toMatchObject({ status: "voided", voidReason: null });
    expect((await itemsOf(office, again)).filter(([, , , isCleared]) => isCleared)).toHaveLength(4);
  });
});

describe("getReconciliationReport", () => {
  test("prints the proof with the same bytes each time, and says when it is a draft or was voided", async () => {
    const office = await anOffice();
    const { bankAccountId } = await aJanuary(office);
    const id = await aDraft(office, bankAccountId, JANUARY.endingCents);
    expect(pageTexts(await pdfOf(office, id)).join(" ")).toContain("Not finalized: this is a draft.");
    await clearAmounts(office, id, ...JANUARY.cleared);
    await finalize(office, id);
    const pdf = await pdfOf(office, id);
    const text = pageTexts(pdf).join(" ");
    for (const part of ["Bank reconciliation", "operating account", "01/31/2026", "$2,195.50", "$2,975.50", "$1,980.00", "Elm Street 1", "$900.00", "-$120.00"])
      expect(text).toContain(part);
    await office.call("updateBankAccount", { params: { id: bankAccountId }, body: { name: "Renamed" } });
    expect((await pdfOf(office, id)).equals(pdf)).toBe(true);
    expect((await office.call("getReconciliationReport", { params: { id } })).reconciliation.id).toBe(id);
    await voidIt(office, id);
    expect(pageTexts(await pdfOf(office, id)).join(" ")).toContain("The reconciliation was voided: wrong statement");
    const again = await reconcileJanuary(office, bankAccountId);
    await office.call("voidReconciliation", { params: { id: again } });
    expect(pageTexts(await pdfOf(office, again)).join(" ")).toContain("The reconciliation was voided.");
    const draft = await aDraft(office, bankAccountId, 0);
    await voidIt(office, draft);
    expect(await office.attempt("getReconciliationReport", { params: { id: draft } })).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
  });
});

describe("an accounting period", () => {
  test("has a checklist of reconciliations, and is not reopened while a finalized one depends on it", async () => {
    const office = await anOffice();
    const { bankAccountId, tenancy } = await aJanuary(office);
    await depositRent(office, tenancy, bankAccountId, 1_000, "2026-02-02");
    const { id: periodId } = await periodOf(office, "2026-01");
    const check = async () => {
      const { checklist } = await office.call("checkAccountingPeriod", { params: { id: periodId } });
      return Object.fromEntries(checklist.map(({ key, count }) => [key, count]));
    };
    expect(await check()).toMatchObject({ unreconciled_bank_accounts: 1, three_way_variance: 0 });
    const id = await reconcileJanuary(office, bankAccountId);
    expect(await check()).toMatchObject({ unreconciled_bank_accounts: 0, three_way_variance: 0 });
    await closeMonth(office, "2026-01");
    const reopen = () => office.attempt("reopenAccountingPeriod", { params: { id: periodId }, body: { reason: "late bill" } });
    expect(await reopen()).toMatchObject({ status: 409, body: { code: "resource_in_use" } });
    await voidIt(office, id);
    expect((await reopen()).status).toBe(200);
  });
});
