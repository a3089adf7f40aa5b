/** Statements of leases and tenants: their ledger between two dates. */
import type { AccountStatement, ledgers } from "@freehold/contract/ledger/ledgers";
import type { QueryOf } from "@freehold/contract/operation";
import { clampToSafeInteger } from "@freehold/domain/money";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid } from "@freehold/kit/errors";
import { now } from "@freehold/kit/time/clock";
import type { Clients } from "../../clients.ts";
import type { LedgerHolder } from "./ledger.queries.ts";
import { listLedger, requireLease, requireTenant } from "./ledgers.ts";

type Query = QueryOf<typeof ledgers.operations.getLeaseStatement>;
type StatementEntry = AccountStatement["entries"][number];

const MAX_ENTRIES = 5_000;

/** Returns the statement of a lease. Throws a 404 for an unknown lease, and a 400 for more than 5,000 entries. */
export async function getLeaseStatement(db: OrgDb, clients: Clients, leaseId: string, query: Query): Promise<AccountStatement> {
  const { tenantId } = await requireLease(db, clients, leaseId);
  return { leaseId, tenantId, ...(await statementOf(db, { leaseIds: [leaseId] }, query)) };
}

/** Returns the statement of a tenant. Throws a 404 for an unknown tenant, and a 400 for more than 5,000 entries. */
export async function getTenantStatement(db: OrgDb, clients: Clients, tenantId: string, query: Query): Promise<AccountStatement> {
  await requireTenant(db, clients, tenantId);
  return { leaseId: null, tenantId, ...(await statementOf(db, { tenantId }, query)) };
}

async function statementOf(
  db: OrgDb,
  holder: LedgerHolder,
  { from, to, ledgerVersion: requestedVersion }: Query,
): Promise<Omit<AccountStatement, "leaseId" | "tenantId">> {
  const { entries, total, openingBalanceCents, closingBalanceCents, ledgerVersion } = await listLedger(db, holder, {
    from,
    to,
    ledgerVersion: requestedVersion,
    sortDirection: "asc",
    page: 1,
    pageSize: MAX_ENTRIES,
  });
  if (total > MAX_ENTRIES)
    throw invalid([{ path: "from", code: "max", message: `There are ${total} entries, and a statement has at most ${MAX_ENTRIES}. Choose a later date.` }]);
  const totalOf = (side: "debitCents" | "creditCents") =>
    clampToSafeInteger(entries.reduce((sum, entry) => sum + BigInt(entry[side]), 0n)) as StatementEntry["debitCents"];
  return {
    from,
    to,
    ledgerVersion,
    generatedAt: now().toISOString(),
    openingBalanceCents,
    debitTotalCents: totalOf("debitCents"),
    creditTotalCents: totalOf("creditCents"),
    closingBalanceCents,
    entries,
  };
}

/** Columns of a statement as CSV. */
export const statementColumns = ["date", "kind", "description", "debitCents", "creditCents", "balanceCents", "chargeId", "paymentId"] as const;

/** Returns the rows of a statement as CSV: the opening balance, the entries and the closing balance. */
export function statementRows({ from, to, openingBalanceCents, closingBalanceCents, entries }: AccountStatement): Record<string, unknown>[] {
  const balance = (date: string, description: string, balanceCents: number) => ({ date, kind: "balance", description, balanceCents });
  return [balance(from, "Opening balance", openingBalanceCents), ...entries, balance(to, "Closing balance", closingBalanceCents)];
}
