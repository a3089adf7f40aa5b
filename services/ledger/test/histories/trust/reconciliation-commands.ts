/** Commands of histories of trust on reconciliations. */
import type { Reconciliation } from "@freehold/contract/trust/reconciliations";
import { randomDay, type TrustContext } from "./trust-office.ts";
import { pickSuitable, type TrustCommand } from "./trust-command.ts";

const readItems = async ({ office }: TrustContext, id: string) =>
  (await office.call("listReconciliationItems", { params: { id }, query: { pageSize: "100" } })).items;

/** Returns the ids of the reconciliations of the history that have a status, in the order of their creation. */
async function readIds({ office, records }: TrustContext, statuses: readonly Reconciliation["status"][]): Promise<string[]> {
  const { reconciliations } = await office.call("listReconciliations", { query: { pageSize: 100 } });
  const known = new Set(reconciliations.filter(({ status }) => statuses.includes(status)).map(({ id }) => id));
  return records.reconciliations.map(({ id }) => id).filter((id) => known.has(id));
}

/** Returns a reconciliation of the history, mostly one that has one of the statuses. */
const pickReconciliation = async (context: TrustContext, statuses: readonly Reconciliation["status"][]): Promise<string | undefined> =>
  pickSuitable(
    context,
    context.records.reconciliations.map(({ id }) => id),
    await readIds(context, statuses),
  );

/** Drafts the reconciliation of January of the escrow account. */
export async function start({ office, accounts, records }: TrustContext): Promise<void> {
  const body = { bankAccountId: accounts.escrow, statementEndDate: "2025-01-31", statementEndingBalanceCents: 0 };
  const { id } = (await office.call("createReconciliation", { body })).reconciliation;
  records.reconciliations.push({ id, bankAccountId: accounts.escrow });
}

export const createReconciliation: TrustCommand = async (context) => {
  const { office, random, accounts, records } = context;
  const bankAccountId = random.pick([accounts.pooled, accounts.pooled, accounts.escrow, accounts.separate])!;
  const body = { bankAccountId, statementEndDate: randomDay(context), statementEndingBalanceCents: 0 };
  const response = await office.attempt("createReconciliation", { body });
  if (response.status !== 200) return response;
  const { id } = response.body.reconciliation;
  records.reconciliations.push({ id, bankAccountId });
  return { ...response, undo: () => office.attempt("voidReconciliation", { params: { id }, body: { reason: "wrong statement" } }) };
};

/** Clears or unclears some transactions of a reconciliation, and states the balance of what is cleared, or another one, as that of the statement. */
export const clearTransactions: TrustCommand = async (context) => {
  const { office, random } = context;
  const id = await pickReconciliation(context, ["draft"]);
  const transactionIds = id ? (await readItems(context, id)).map(({ transactionId }) => transactionId).filter(() => random.chance(0.7)) : [];
  if (!id || transactionIds.length === 0) return undefined;
  const response = await office.attempt(random.chance(0.8) ? "clearTransactions" : "unclearTransactions", { params: { id }, body: { transactionIds } });
  if (response.status !== 200) return response;
  const statementEndingBalanceCents = response.body.reconciliation.clearedBalanceCents + (random.chance(0.1) ? 1 : 0);
  return office.attempt("updateReconciliation", { params: { id }, body: { statementEndingBalanceCents } });
};

export const finalizeReconciliation: TrustCommand = async (context) => {
  const { office, random } = context;
  const id = await pickReconciliation(context, ["draft"]);
  if (!id) return undefined;
  const body = random.chance(0.8) ? { acknowledgeThreeWayVariance: true, note: "Known." } : {};
  const response = await office.attempt("finalizeReconciliation", { params: { id }, body });
  return { ...response, undo: () => office.attempt("voidReconciliation", { params: { id }, body: { reason: "wrong statement" } }) };
};

export const voidReconciliation: TrustCommand = async (context) => {
  const { office } = context;
  const id = await pickReconciliation(context, ["draft", "finalized"]);
  return id ? office.attempt("voidReconciliation", { params: { id }, body: { reason: "wrong statement" } }) : undefined;
};
