/** Commands of histories of trust on reconciliations. */
import { randomDay, type TrustContext } from "./trust-office.ts";
import type { TrustCommand } from "./trust-command.ts";

const readItems = async ({ office }: TrustContext, id: string) =>
  (await office.call("listReconciliationItems", { params: { id }, query: { pageSize: "100" } })).items;

export const createReconciliation: TrustCommand = async (context) => {
  const { office, random, accounts, records } = context;
  const bankAccountId = random.pick([accounts.pooled, accounts.pooled, accounts.escrow, accounts.separate])!;
  const body = { bankAccountId, statementEndDate: randomDay(context), statementEndingBalanceCents: 0 };
  const response = await office.attempt("createReconciliation", { body });
  if (response.status === 200) records.reconciliations.push({ id: response.body.reconciliation.id, bankAccountId });
  return response;
};

/** Clears or unclears some transactions of a reconciliation, and states the balance of what is cleared, or another one, as that of the statement. */
export const clearTransactions: TrustCommand = async (context) => {
  const { office, random, records } = context;
  const id = records.reconciliations.at(-1)?.id;
  const transactionIds = id ? (await readItems(context, id)).map(({ transactionId }) => transactionId).filter(() => random.chance(0.7)) : [];
  if (!id || transactionIds.length === 0) return undefined;
  const response = await office.attempt(random.chance(0.8) ? "clearTransactions" : "unclearTransactions", { params: { id }, body: { transactionIds } });
  if (response.status !== 200) return response;
  const statementEndingBalanceCents = response.body.reconciliation.clearedBalanceCents + (random.chance(0.1) ? 1 : 0);
  return office.attempt("updateReconciliation", { params: { id }, body: { statementEndingBalanceCents } });
};

export const finalizeReconciliation: TrustCommand = async ({ office, random, records }) => {
  const id = records.reconciliations.at(-1)?.id;
  const body = random.chance(0.8) ? { acknowledgeThreeWayVariance: true, note: "Known." } : {};
  return id ? office.attempt("finalizeReconciliation", { params: { id }, body }) : undefined;
};

export const voidReconciliation: TrustCommand = async ({ office, random, records }) => {
  const id = random.pick(records.reconciliations)?.id;
  return id ? office.attempt("voidReconciliation", { params: { id }, body: { reason: "wrong statement" } }) : undefined;
};
