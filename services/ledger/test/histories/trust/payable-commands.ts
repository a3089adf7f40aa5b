/** Commands of histories of trust on expenses and their payments, management fees and payouts to owners. */
import { expect } from "@jest/globals";
import type { ManagementFeeLine, ManagementFeeRun } from "@freehold/contract/payables/management-fees";
import { endOfMonth, maxDate } from "@freehold/kit/time/plain-date";
import { readCashRent, readFeeBase } from "./trust.queries.ts";
import { aboutCents, noonOn, randomAccount, randomDay, type TrustContext } from "./trust-office.ts";
import type { TrustCommand } from "./trust-command.ts";

export const createExpense: TrustCommand = async (context) => {
  const { office, random, properties, records, vendorId } = context;
  const { propertyId, ownerIds } = random.pick(properties)!;
  const amountCents = random.integer(25_000);
  const terms = { vendorId, category: "maintenance" as const, ...(random.chance(0.15) && { ownerId: random.pick(ownerIds)! }) };
  const response = await office.attempt("createExpense", { body: { amountCents, incurredOn: randomDay(context), propertyId, ...terms } });
  const { id } = response.body.expense ?? {};
  if (response.status === 200) records.expenses.push({ id, propertyId, amountCents });
  return { ...response, undo: () => office.attempt("voidExpense", { params: { id }, body: {} }) };
};

export const splitExpense: TrustCommand = async (context) => {
  const { office, random, records } = context;
  const expense = random.pick(records.expenses);
  if (!expense) return undefined;
  const part = Math.max(1, random.integer(expense.amountCents) - 1);
  const amounts = [part, expense.amountCents - part + (random.chance(0.1) ? 1 : 0)];
  const lines = amounts.map((amountCents) => ({ propertyId: expense.propertyId, amountCents }));
  const response = await office.attempt("splitExpense", { params: { id: expense.id }, body: { lines } });
  if (response.status === 200) records.expenses.push(...response.body.expenses.map(({ id, propertyId, amountCents }) => ({ id, propertyId, amountCents })));
  return response;
};

/** Pays one or two expenses, issued or pending, in some cases more than they need. */
export const recordExpensePayment: TrustCommand = async (context) => {
  const { office, random, records, vendorId } = context;
  const { expenses } = await office.call("listExpenses", { query: { unpaidOnly: true, pageSize: 100 } });
  const unpaid = new Map(expenses.map(({ id, outstandingCents }) => [id, outstandingCents]));
  const chosen = records.expenses.filter(({ id }) => unpaid.has(id)).filter(() => random.chance(0.3));
  const allocations = chosen.slice(0, 2).map(({ id }) => ({ expenseId: id, amountCents: aboutCents(context, unpaid.get(id)!) }));
  const allocatedCents = allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const amountCents = allocatedCents + (random.chance(0.2) || allocatedCents === 0 ? random.integer(500) : 0);
  const terms = { vendorId, paymentMethod: "check" as const, status: random.pick(["issued", "issued", "pending"] as const)! };
  const body = { amountCents, allocations, paidAt: noonOn(randomDay(context)), bankAccountId: randomAccount(context), ...terms };
  const response = await office.attempt("recordExpensePayment", { body });
  const { id } = response.body.expensePayment ?? {};
  if (response.status === 200) records.expensePayments.push(id);
  const undo = () =>
    terms.status === "pending" && random.chance(0.5)
      ? office.attempt("failExpensePayment", { params: { id } })
      : office.attempt("voidExpensePayment", { params: { id }, body: { reason: "never cashed" } });
  return { ...response, undo };
};

/** Voids, issues or fails a payment of expenses, or takes one of its allocations back. */
export const changeExpensePayment: TrustCommand = async ({ office, random, records }) => {
  const id = random.pick(records.expensePayments);
  if (!id) return undefined;
  const { allocations } = (await office.call("getExpensePayment", { params: { id } })).expensePayment;
  const allocationId = random.pick(allocations)?.id;
  const call = random.pick([
    () => office.attempt("voidExpensePayment", { params: { id }, body: { reason: "lost" } }),
    () => office.attempt("issueExpensePayment", { params: { id } }),
    () => office.attempt("failExpensePayment", { params: { id } }),
    ...(allocationId ? [() => office.attempt("deleteExpensePaymentAllocation", { params: { id, allocationId } })] : []),
  ])!;
  return call();
};

/** Charges the fees of a month and collects them in the pooled account, or nowhere. Each fee ties to its base. */
export const createFeeRun: TrustCommand = async (context) => {
  const { office, random, accounts, records } = context;
  const periodStart = `${randomDay(context).slice(0, 7)}-01`;
  const bankAccountId = random.pick([accounts.pooled, accounts.pooled, accounts.separate, null])!;
  const response = await office.attempt("createManagementFeeRun", { body: { periodStart, periodEnd: endOfMonth(periodStart), bankAccountId } });
  if (response.status !== 200) return response;
  const { run } = response.body;
  records.runs.push(run.id);
  await expectFeesTie(context, run);
  return { ...response, undo: () => office.attempt("reverseManagementFeeRun", { params: { id: run.id }, body: { reason: "wrong month" } }) };
};

/** Expects the fees of a run to be computed from their bases, and the bases of its month to be the rent that was collected in it. */
async function expectFeesTie({ office, database, properties }: TrustContext, run: ManagementFeeRun): Promise<void> {
  const sum = (amounts: readonly number[]) => amounts.reduce((total, cents) => total + cents, 0);
  expect(sum(run.lines.map(({ amountCents }) => amountCents))).toBe(run.totalCents);
  for (const { propertyId, percentBps } of properties) {
    if (percentBps === null) continue;
    const lines: ManagementFeeLine[] = run.lines.filter((line) => line.propertyId === propertyId);
    expect(lines.map(({ base }) => sum(base.map(({ amountCents }) => amountCents)))).toEqual(lines.map(({ baseCents }) => baseCents));
    const { managementFees } = await office.call("listManagementFees", { query: { propertyId, status: "completed", pageSize: 100 } });
    const ofMonth = managementFees.filter(({ month }) => month === run.periodStart);
    const rentCents = await readCashRent(database, propertyId, run.periodStart);
    const baseCents = await readFeeBase(database, propertyId, run.periodStart);
    expect({ propertyId, baseCents }).toEqual({ propertyId, baseCents: rentCents });
    const computedCents = Math.floor((rentCents * percentBps + 5_000) / 10_000);
    const minimumCents = propertyId === properties[0]!.propertyId ? 4_000 : 0;
    expect({ propertyId, feeCents: sum(ofMonth.map(({ amountCents }) => amountCents)) }).toEqual({
      propertyId,
      feeCents: Math.max(computedCents, minimumCents),
    });
  }
}

export const reverseFeeRun: TrustCommand = async ({ office, random, records }) => {
  const id = random.pick(records.runs);
  return id ? office.attempt("reverseManagementFeeRun", { params: { id }, body: { reason: "wrong month" } }) : undefined;
};

/** Drafts payouts to owners, whose terms add up to their amounts. */
export const runPayouts: TrustCommand = async (context) => {
  const { office, random, accounts, records } = context;
  const bankAccountId = random.pick([accounts.pooled, accounts.pooled, accounts.separate])!;
  const response = await office.attempt("runOwnerPayables", { body: { periodEnd: randomDay(context), bankAccountId } });
  if (response.status !== 200) return response;
  const { ownerPayables } = response.body;
  expect(ownerPayables.map(({ calculation }) => calculation.reduce((sum, term) => sum + term.amountCents, 0))).toEqual(
    ownerPayables.map(({ amountCents }) => amountCents),
  );
  records.payables.push(...ownerPayables.map(({ id }) => id));
  for (const { id } of ownerPayables) if (random.chance(0.9)) await office.call("approveOwnerPayable", { params: { id } });
  return response;
};

export const payPayout: TrustCommand = async (context) => {
  const { office, random, records } = context;
  const { ownerPayables } = await office.call("listOwnerPayables", { query: { status: "approved", pageSize: 100 } });
  const periodEnds = new Map(ownerPayables.map(({ id, periodEnd }) => [id, periodEnd]));
  const id = random.pick(records.payables.filter((each) => periodEnds.has(each) || random.chance(0.1)));
  if (!id) return undefined;
  const day = randomDay(context);
  const paidAt = noonOn(random.chance(0.8) ? maxDate(day, periodEnds.get(id) ?? day) : day);
  const response = await office.attempt("payOwnerPayable", { params: { id }, body: { paidAt } });
  const undo = () => office.attempt("voidOwnerPayable", { params: { id }, body: { reason: "returned" } });
  return { ...response, undo, isOnOwnDay: true, isIndependent: true };
};

/** Voids a payout; a draft has moved no money. */
export const voidDraft: TrustCommand = async ({ office, random, records }) => {
  const id = random.pick(records.payables);
  if (!id) return undefined;
  const { status } = (await office.call("getOwnerPayable", { params: { id } })).ownerPayable;
  return status === "paid" ? undefined : office.attempt("voidOwnerPayable", { params: { id }, body: { reason: "too early" } });
};
