/** Variance of budgets, compared with the trial balance of a portfolio in which a fiscal year starts in July, and budgets from actual amounts. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy } from "../../../../test/support/tenancy.ts";
import { accountIdsByCode, createEntry } from "../journal/journal.fixtures.ts";
import { monthsOfFiscalYear } from "./budget.rules.ts";
import { aBudget, everyMonth } from "./budgets.fixtures.ts";
import { endOfMonth } from "@freehold/kit/time/plain-date";

const year = { fiscalYear: 2026, startMonth: 7 };
const months = monthsOfFiscalYear(year);
let office: Office;
let accounts: Record<string, string>;
let properties: [string, string];

beforeAll(async () => {
  office = await anOffice();
  accounts = await accountIdsByCode(office);
  const tenancies = [await aTenancy(office, { startDate: "2025-03-01" }), await aTenancy(office, { startDate: "2025-03-01" })] as const;
  properties = [tenancies[0].propertyId, tenancies[1].propertyId];
  for (const [index, tenancy] of tenancies.entries()) {
    const rent = 1_000 * (index + 1);
    // Before, at both ends of and after the fiscal year. Cash lags behind: each payment settles a part of the rent of an earlier month.
    for (const day of ["2025-06-30", "2025-07-01", "2025-09-30", "2025-10-15", "2026-01-31", "2026-06-30", "2026-07-01"]) {
      const chargeId = await aCharge(office, tenancy.leaseId, rent, day);
      const receivedAt = `${endOfMonth(day)}T23:30:00.000Z`;
      await office.call("recordPayment", { body: { ...aPayment(tenancy, rent - 300), receivedAt, allocations: [{ chargeId, amountCents: rent - 400 }] } });
    }
  }
  const { charges } = await office.call("listCharges", { query: { propertyId: properties[0], sortBy: "dueDate", sortDirection: "asc" } });
  await office.call("creditCharge", { params: { id: charges[1]!.id }, body: { amountCents: 50, reason: "waive", creditedOn: "2025-08-15" } });
  const pay = (code: string, cents: number, occurredAt: string, propertyId?: string) =>
    createEntry(
      office,
      accounts,
      [
        [code, cents],
        ["1000", -cents],
      ],
      { occurredAt, ...(propertyId && { propertyId }) },
    );
  await pay("5000", 70, "2025-07-01T04:00:00.000Z", properties[0]);
  await pay("5000", 30, "2025-07-01T03:59:59.999Z", properties[0]);
  await pay("5010", 45, "2026-02-28T12:00:00.000Z", properties[1]);
  await pay("5090", 15, "2026-03-10T12:00:00.000Z");
  // A refund of the insurance: an expense below zero.
  await createEntry(
    office,
    accounts,
    [
      ["1000", 20],
      ["5030", -20],
    ],
    { occurredAt: "2026-04-10T12:00:00.000Z", propertyId: properties[0] },
  );
});

type Basis = "accrual" | "cash";

/** Returns the movements of income and expense accounts in the trial balance by code, in their natural sign, without those of zero. */
async function movements(from: string, to: string, basis: Basis, propertyId: string | undefined): Promise<Record<string, number>> {
  const { trialBalance } = await office.call("getTrialBalance", { query: { from, to, basis, ...(propertyId && { propertyId }) } });
  const rows = trialBalance.rows.filter(({ accountType }) => accountType === "income" || accountType === "expense");
  return Object.fromEntries(
    rows
      .map(({ accountCode, accountType, debitCents, creditCents }) => [accountCode, (accountType === "income" ? -1 : 1) * (debitCents - creditCents)] as const)
      .filter(([, cents]) => cents !== 0),
  );
}

const variance = async (id: string, query: Record<string, string> = {}) => (await office.call("getBudgetVariance", { params: { id }, query })).variance;

describe("getBudgetVariance", () => {
  const scopes: [string, () => string | undefined][] = [
    ["the portfolio", () => undefined],
    ["one property", () => properties[0]],
    ["another property", () => properties[1]],
  ];

  test.each(scopes.flatMap(([scope, propertyOf]) => (["accrual", "cash"] as const).map((basis) => [scope, basis, propertyOf] as const)))(
    "of %s on the %s basis has the movements of the trial balance, by month and through each month",
    async (_, basis, propertyOf) => {
      const propertyId = propertyOf();
      const budget = await aBudget(office, { ...year, propertyId: propertyId ?? null, basis });
      const whole = await variance(budget.id, { through: "2026-06" });
      expect(whole).toMatchObject({ budgetId: budget.id, basis, startDate: "2025-07-01", through: "2026-06" });
      expect(whole.rows.length).toBeGreaterThan(1);
      for (const month of months) {
        const actuals = whole.rows.map(({ code, byMonth }) => [code, byMonth.find((each) => each.month === month.slice(0, 7))!.actualCents] as const);
        expect([month, Object.fromEntries(actuals.filter(([, cents]) => cents !== 0))]).toEqual([
          month,
          await movements(month, endOfMonth(month), basis, propertyId),
        ]);
      }
      for (const through of ["2025-07", "2025-12", "2026-06"]) {
        const { rows, totals } = await variance(budget.id, { through });
        const expected = await movements(months[0]!, endOfMonth(`${through}-01`), basis, propertyId);
        expect(Object.fromEntries(rows.map(({ code, actualCents }) => [code, actualCents]))).toEqual(expected);
        const sum = (type: string) => rows.filter(({ accountType }) => accountType === type).reduce((total, { actualCents }) => total + actualCents, 0);
        expect([totals.income.actualCents, totals.expense.actualCents, totals.net.actualCents]).toEqual([
          sum("income"),
          sum("expense"),
          sum("income") - sum("expense"),
        ]);
      }
    },
  );

  test("differs by basis as the ledger does, and takes the basis of the budget by default", async () => {
    const budget = await aBudget(office, { ...year, propertyId: properties[0], basis: "cash" });
    const rent = async (query: Record<string, string> = {}) =>
      (await variance(budget.id, { through: "2026-06", ...query })).rows.find(({ code }) => code === "4000")!.actualCents;
    expect([await rent(), await rent({ basis: "cash" }), await rent({ basis: "accrual" })]).toEqual([3_000, 3_000, 4_950]);
  });

  test("compares budgeted with actual amounts, and lists accounts without actual amounts and without a budget", async () => {
    const lines = [
      { categoryId: accounts["4000"]!, amountsCents: everyMonth(500) },
      { categoryId: accounts["5020"]!, amountsCents: everyMonth(10) },
    ];
    const budget = await aBudget(office, { ...year, propertyId: properties[0], lines });
    const { rows, totals } = await variance(budget.id, { through: "2025-09" });
    expect(rows.map(({ code, budgetCents, actualCents, varianceCents, varianceBps }) => [code, budgetCents, actualCents, varianceCents, varianceBps])).toEqual([
      ["4000", 1_500, 1_950, 450, 3_000],
      ["5000", 0, 70, 70, null],
      ["5020", 30, 0, -30, -10_000],
    ]);
    expect(totals.net).toEqual({ budgetCents: 1_470, actualCents: 1_880, varianceCents: 410, varianceBps: 2_789 });
  });

  test("refuses a month outside of the fiscal year and one that is not YYYY-MM", async () => {
    const { id } = await aBudget(office, year);
    const errorOf = async (through: string) => {
      const { status, body } = await office.attempt("getBudgetVariance", { params: { id }, query: { through } });
      return [status, body.errors?.[0]?.path, body.errors?.[0]?.code];
    };
    expect([await errorOf("2025-06"), await errorOf("2026-07"), await errorOf("2026-13"), await errorOf("2026-06-01")]).toEqual([
      [400, "through", "min"],
      [400, "through", "max"],
      [400, "through", "format"],
      [400, "through", "format"],
    ]);
  });

  test("can be read by staff, and not in another organization", async () => {
    const { id } = await aBudget(office, year);
    const staff = await office.colleague("staff");
    expect((await staff.attempt("getBudgetVariance", { params: { id } })).status).toBe(200);
    expect((await (await anOffice()).attempt("getBudgetVariance", { params: { id } })).status).toBe(404);
  });
});

describe("fillBudgetFromActuals", () => {
  const fill = async (id: string, body: object = {}) => (await office.call("fillBudgetFromActuals", { params: { id }, body })).budget;

  test("replaces the lines by the actual amounts of the year before, from which the budget of that year has no variance", async () => {
    const budget = await aBudget(office, {
      ...year,
      fiscalYear: 2027,
      lines: [{ categoryId: accounts["5020"]!, amountsCents: everyMonth(10), note: "Guess" }],
    });
    const filled = await fill(budget.id);
    const codeOf = Object.fromEntries(Object.entries(accounts).map(([code, id]) => [id, code]));
    const yearly = filled.lines.map(({ categoryId, amountsCents }) => [codeOf[categoryId], amountsCents.reduce((sum, cents) => sum + cents, 0)]);
    expect(Object.fromEntries(yearly)).toEqual(await movements("2025-07-01", "2026-06-30", "accrual", undefined));
    const sameYear = await fill((await aBudget(office, year)).id, { fiscalYear: 2026 });
    const { totals, rows } = await variance(sameYear.id, { through: "2026-06" });
    expect(rows.every(({ varianceCents, byMonth }) => varianceCents === 0 && byMonth.every((month) => month.varianceCents === 0))).toBe(true);
    expect(totals.net).toMatchObject({ varianceCents: 0, varianceBps: 0 });
  });

  test("reads the property of the budget on the requested basis, adjusts the amounts, and also fills an active budget", async () => {
    const { id } = await aBudget(office, { ...year, propertyId: properties[0], basis: "accrual" });
    await office.call("activateBudget", { params: { id } });
    const filled = await fill(id, { fiscalYear: 2026, basis: "cash", adjustBps: 1_000 });
    expect(filled).toMatchObject({ status: "active", basis: "accrual", totalIncomeCents: 3_300 });
    expect(filled.lines.find(({ categoryId }) => categoryId === accounts["5030"])!.amountsCents).toEqual([...Array(9).fill(0), -22, 0, 0]);
  });

  test("leaves no lines when the year has no entries", async () => {
    const { id } = await aBudget(office, { fiscalYear: 2020, lines: [{ categoryId: accounts["4000"]!, amountsCents: everyMonth(1) }] });
    expect((await fill(id)).lines).toEqual([]);
  });
});
