/** Commands of histories of trust on expenses and their payments, management fees and payouts to owners. */
import { expect } from "@jest/globals";
import type { ManagementFeeLine, ManagementFeeRun } from "@freehold/contract/payables/management-fees";
import { endOfMonth, maxDate } from "@freehold/kit/time/plain-date";
import { readCashRent, readFeeBase } from "./trust.queries.ts";
import { aboutCents, FIRST_DAY, noonOn, randomAccount, randomDay, type TrustContext } from "./trust-office.ts";
import { inSequence, pickSuitable, type TrustCommand } from "./trust-command.ts";

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

/** Splits an unpaid expense in two. Its undo voids the parts and records the expense again. */
export const splitExpense: TrustCommand = async (context) => {
  const { office, random, records } = context;
  const { expenses } = await office.call("listExpenses", { query: { unpaidOnly: true, pageSize: 100 } });
  const unpaid = new Set(expenses.filter(({ amountCents, outstandingCents }) => amountCents === outstandingCents).map(({ id }) => id));
  const expense = pickSuitable(
    context,
    records.expenses,
    records.expenses.filter(({ id, amountCents }) => unpaid.has(id) && amountCents > 1),
  );
  if (!expense) return undefined;
  const part = Math.max(1, random.integer(expense.amountCents) - 1);
  const amounts = [part, expense.amountCents - part + (random.chance(0.1) ? 1 : 0)];
  const lines = amounts.map((amountCents) => ({ propertyId: expense.propertyId, amountCents }));
  const response = await office.attempt("splitExpense", { params: { id: expense.id }, body: { lines } });
  if (response.status !== 200) return response;
  const parts = response.body.expenses;
  records.expenses.push(...parts.map(({ id, propertyId, amountCents }) => ({ id, propertyId, amountCents })));
  const undo = async () => {
    const voided = await inSequence(
      parts.map(
        ({ id }) =>
          () =>
            office.attempt("voidExpense", { params: { id }, body: {} }),
      ),
    );
    const { incurredOn, vendorId, ownerId, category } = parts[0]!;
    const body = { propertyId: expense.propertyId, amountCents: expense.amountCents, incurredOn, vendorId, ownerId, category };
    return voided.status === 200 ? office.attempt("createExpense", { body }) : voided;
  };
  return { ...response, undo };
};

/** Records an expense of each of two properties, one of which is paid by an issued and one by a pending check. */
export async function startExpenses({ office, properties, records, vendorId, accounts }: TrustContext): Promise<void> {
  for (const [index, { propertyId }] of properties.slice(0, 2).entries()) {
    const amountCents = 4_000;
    const { expense } = await office.call("createExpense", {
      body: { propertyId, vendorId, category: "maintenance", amountCents: 2 * amountCents, incurredOn: FIRST_DAY },
    });
    records.expenses.push({ id: expense.id, propertyId, amountCents: 2 * amountCents });
    const allocations = [{ expenseId: expense.id, amountCents }];
    const check = { vendorId, paymentMethod: "check" as const, status: index === 0 ? ("issued" as const) : ("pending" as const) };
    const body = { ...check, amountCents, allocations, paidAt: noonOn(FIRST_DAY), bankAccountId: accounts.pooled };
    records.expensePayments.push((await office.call("recordExpensePayment", { body })).expensePayment.id);
  }
}

/** Pays one or two expenses, issued or pending, in some cases more than they need. */
export const recordExpensePayment: TrustCommand = async (context) => {
  const { office, random, records, vendorId, accounts } = context;
  const { expenses } = await office.call("listExpenses", { query: { unpaidOnly: true, pageSize: 100 } });
  const unpaid = new Map(expenses.map(({ id, outstandingCents }) => [id, outstandingCents]));
  const candidates = records.expenses.filter(({ id }) => unpaid.has(id));
  const chosen = new Set([random.pick(candidates), random.chance(0.3) ? random.pick(candidates) : undefined].filter((expense) => expense !== undefined));
  const allocations = [...chosen].map(({ id }) => ({ expenseId: id, amountCents: aboutCents(context, unpaid.get(id)!) }));
  const allocatedCents = allocations.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const amountCents = allocatedCents + (random.chance(0.2) || allocatedCents === 0 ? random.integer(500) : 0);
  const terms = { vendorId, paymentMethod: "check" as const, status: random.pick(["issued", "issued", "pending"] as const)! };
  const bankAccountId = random.chance(0.6) ? accounts.pooled : randomAccount(context);
  const body = { amountCents, allocations, paidAt: noonOn(randomDay(context)), bankAccountId, ...terms };
  const response = await office.attempt("recordExpensePayment", { body });
  const { id } = response.body.expensePayment ?? {};
  if (response.status === 200) records.expensePayments.push(id);
  const undo = () =>
    terms.status === "pending" && random.chance(0.5)
      ? office.attempt("failExpensePayment", { params: { id } })
      : office.attempt("voidExpensePayment", { params: { id }, body: { reason: "never cashed" } });
  return { ...response, undo };
};

/** Issues or fails a pending payment of expenses, or voids a payment. */
export const changeExpensePayment: TrustCommand = async (context) => {
  const { office, random, records } = context;
  const { expensePayments } = await office.call("listExpensePayments", { query: { pageSize: 100 } });
  const statuses = new Map(expensePayments.map(({ id, status }) => [id, status]));
  const isLive = (id: string) => ["pending", "issued"].includes(statuses.get(id)!);
  const id = pickSuitable(context, records.expensePayments, records.expensePayments.filter(isLive));
  if (!id) return undefined;
  const change = {
    void: () => office.attempt("voidExpensePayment", { params: { id }, body: { reason: "lost" } }),
    issue: () => office.attempt("issueExpensePayment", { params: { id } }),
    fail: () => office.attempt("failExpensePayment", { params: { id } }),
  };
  return change[random.pick(statuses.get(id) === "issued" ? (["void"] as const) : (["void", "issue", "fail"] as const))!]();
};

/** Takes an allocation of a payment of expenses back. Its undo settles the expense again. */
export const deleteExpenseAllocation: TrustCommand = async (context) => {
  const { office, random, records } = context;
  const { expensePayments } = await office.call("listExpensePayments", { query: { pageSize: 100 } });
  const allocations = new Map(expensePayments.map((payment) => [payment.id, payment.allocations]));
  const id = random.pick(records.expensePayments.filter((each) => (allocations.get(each) ?? []).length > 0));
  const allocation = id && random.pick(allocations.get(id)!);
  if (!allocation) return undefined;
  const { id: allocationId, expenseId, amountCents } = allocation;
  const response = await office.attempt("deleteExpensePaymentAllocation", { params: { id, allocationId } });
  return { ...response, undo: () => office.attempt("allocateExpensePayment", { params: { id }, body: { allocations: [{ expenseId, amountCents }] } }) };
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

export const reverseFeeRun: TrustCommand = async (context) => {
  const { office, records } = context;
  const { runs } = await office.call("listManagementFeeRuns", { query: { pageSize: 100 } });
  const completed = new Set(runs.filter(({ status }) => status === "completed").map(({ id }) => id));
  const id = pickSuitable(
    context,
    records.runs,
    records.runs.filter((each) => completed.has(each)),
  );
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
  const ids = ownerPayables.map(({ id }) => id);
  records.payables.push(...ids);
  for (const id of ids) if (random.chance(0.9)) await office.call("approveOwnerPayable", { params: { id } });
  const voids = ids.map((id) => () => office.attempt("voidOwnerPayable", { params: { id }, body: { reason: "too early" } }));
  return { ...response, ...(voids.length > 0 && { undo: () => inSequence(voids) }) };
};

export const payPayout: TrustCommand = async (context) => {
  const { office, random, records } = context;
  const { ownerPayables } = await office.call("listOwnerPayables", { query: { status: "approved", pageSize: 100 } });
  const periodEnds = new Map(ownerPayables.map(({ id, periodEnd }) => [id, periodEnd]));
  const id = pickSuitable(
    context,
    records.payables,
    records.payables.filter((each) => periodEnds.has(each)),
  );
  if (!id) return undefined;
  const day = randomDay(context);
  const paidAt = noonOn(random.chance(0.8) ? maxDate(day, periodEnds.get(id) ?? day) : day);
  const response = await office.attempt("payOwnerPayable", { params: { id }, body: { paidAt } });
  const undo = () => office.attempt("voidOwnerPayable", { params: { id }, body: { reason: "returned" } });
  return { ...response, undo, isOnOwnDay: true, isIndependent: true };
};

/** Voids a payout that is not paid, which has moved no money. Its undo drafts and approves the payouts of its period again. */
export const voidDraft: TrustCommand = async (context) => {
  const { office, records } = context;
  const { ownerPayables } = await office.call("listOwnerPayables", { query: { pageSize: 100 } });
  const payables = new Map(ownerPayables.map((payable) => [payable.id, payable]));
  const unpaid = records.payables.filter((id) => ["draft", "approved"].includes(payables.get(id)!.status));
  const id = pickSuitable(context, records.payables, unpaid);
  if (!id || payables.get(id)!.status === "paid") return undefined;
  const { periodEnd, bankAccountId } = payables.get(id)!;
  const response = await office.attempt("voidOwnerPayable", { params: { id }, body: { reason: "too early" } });
  const undo = async () => {
    const drafted = await office.attempt("runOwnerPayables", { body: { periodEnd, bankAccountId } });
    if (drafted.status === 200) records.payables.push(...drafted.body.ownerPayables.map((payable) => payable.id));
    return drafted;
  };
  return { ...response, undo };
};
