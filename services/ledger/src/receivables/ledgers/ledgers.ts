/** Ledgers of leases and tenants, with a running balance. */
import type { entrySources } from "@freehold/contract/ledger/journal-entries";
import type { ledgers, LedgerEntry as View } from "@freehold/contract/ledger/ledgers";
import type { QueryOf } from "@freehold/contract/operation";
import { clampToSafeInteger } from "@freehold/domain/money";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { notFound } from "@freehold/kit/errors";
import { today } from "@freehold/kit/time/clock";
import type { z } from "zod";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { findProjectedLeases, replicateTenants, type ProjectedLease } from "../../projections/projections.ts";
import { readReport } from "../../reporting/ledger-version.ts";
import { requireStartByEnd } from "../../reporting/report-dates.rules.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { ledgerPage, type LedgerHolder, type LedgerRow } from "./ledger.queries.ts";

type Query = QueryOf<typeof ledgers.operations.listLeaseLedger>;
type LedgerEntry = z.output<typeof View>;
/** Returns a page of the ledger of a lease, or throws a 404 for an unknown lease. */
export async function listLeaseLedger(db: OrgDb, clients: Clients, leaseId: string, query: Query) {
  await requireLease(db, clients, leaseId);
  return listLedger(db, { leaseIds: [leaseId] }, query);
}

/** Returns a page of the ledger of a tenant, or throws a 404 for an unknown tenant. */
export async function listTenantLedger(db: OrgDb, clients: Clients, tenantId: string, query: Query) {
  await requireTenant(db, clients, tenantId);
  return listLedger(db, { tenantId }, query);
}

/** Returns a lease from the projection, replicating it if it is missing, or throws a 404 for a lease that portfolio does not know. */
export async function requireLease(db: OrgDb, { portfolio }: Clients, leaseId: string): Promise<ProjectedLease> {
  const lease = (await findProjectedLeases(db, portfolio, [leaseId])).get(leaseId);
  if (!lease) throw notFound("Lease");
  return lease;
}

/** Throws a 404 for a tenant that portfolio does not know. */
export async function requireTenant(db: OrgDb, { portfolio }: Clients, tenantId: string): Promise<void> {
  if (!(await isProjected(db, tenantId))) await replicateTenants(db, portfolio, [tenantId]);
  if (!(await isProjected(db, tenantId))) throw notFound("Tenant");
}

const isProjected = async (db: OrgDb, tenantId: string): Promise<boolean> =>
  (await db.first(sql`select 1 as found from tenant_copy where organization_id = ${db.organizationId} and id = ${tenantId}`)) !== undefined;

/** Returns a page of a ledger with the balances before its first and after its last date. */
export async function listLedger(db: OrgDb, holder: LedgerHolder, { to, asOf = to, ledgerVersion: requestedVersion, ...query }: Omit<Query, "sortBy">) {
  const [chart, { timezone }] = await Promise.all([getChart(db), getLedgerSettings(db)]);
  const lastDay = asOf ?? today(timezone);
  requireStartByEnd(query.from, lastDay);
  const { rows, ledgerVersion } = await readReport(db, requestedVersion, (version) =>
    ledgerPage(db, chart, holder, { ...query, asOf: lastDay, ledgerVersion: version }),
  );
  const { total, openingCents, closingCents } = rows[0]!;
  const { page, pageSize } = query;
  return {
    entries: rows.flatMap((row) => (row.id === null ? [] : entryView({ ...row, id: row.id }))),
    page,
    pageSize,
    total,
    totalPages: Math.max(1, Math.ceil(total / pageSize)),
    openingBalanceCents: clampToSafeInteger(BigInt(openingCents)),
    closingBalanceCents: clampToSafeInteger(BigInt(closingCents)),
    asOf: lastDay,
    ledgerVersion,
  };
}

/** Kinds of the entries by their origin. The allocation of credit to a charge is a payment, too. */
const kinds = {
  charge: "charge",
  payment: "payment",
  allocation: "payment",
  credit: "credit",
  refund: "refund",
  reversal: "reversal",
} satisfies Partial<Record<(typeof entrySources)[number], LedgerEntry["kind"]>>;

/** Returns the API representation of an entry of a ledger. */
export const entryView = ({
  id,
  entryDate,
  source,
  sourceType,
  sourceId,
  memo,
  netCents,
  balanceCents,
  allocations,
}: LedgerRow & { id: string }): LedgerEntry => ({
  id,
  date: entryDate,
  kind: kinds[source as keyof typeof kinds],
  description: memo,
  debitCents: Math.max(netCents, 0) as LedgerEntry["debitCents"],
  creditCents: Math.max(-netCents, 0) as LedgerEntry["creditCents"],
  balanceCents: clampToSafeInteger(BigInt(balanceCents)) as LedgerEntry["balanceCents"],
  chargeId: sourceType === "charge" ? sourceId : null,
  paymentId: sourceType === "payment" ? sourceId : null,
  allocations: allocations ?? [],
});
