/** Ledger of a tenant over the own leases, in the tenant portal. */
import type { tenantPortalMoney } from "@freehold/contract/portals/tenant-portal-money";
import type { Output, QueryOf } from "@freehold/contract/operation";
import { clampToSafeInteger } from "@freehold/domain/money";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { withOfficeReach } from "@freehold/kit/db/portal-reach";
import { today } from "@freehold/kit/time/clock";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { ledgerPage } from "../../receivables/ledgers/ledger.queries.ts";
import { entryView } from "../../receivables/ledgers/ledgers.ts";
import { requireStartByEnd } from "../../reporting/report-dates.rules.ts";
import { openTenantAccess } from "./tenant-access.ts";

type Operation = typeof tenantPortalMoney.operations.listTenantPortalLedger;

/** Returns a page of the ledger of the caller's leases. Throws a 404 for a lease of others. */
export async function listTenantPortalLedger(caller: OrgDb, clients: Clients, { leaseId, to, ...query }: QueryOf<Operation>): Promise<Output<Operation>> {
  const { db, timezone, tenantId, leaseIds } = await openTenantAccess(caller, clients, leaseId);
  const lastDay = to ?? today(timezone);
  requireStartByEnd(query.from, lastDay);
  // The query needs the ids of two accounts, which are the office's.
  const chart = await getChart(withOfficeReach(db));
  const rows = await db.all(ledgerPage(db, chart, { leaseIds, payerId: leaseId === undefined ? tenantId : undefined }, { ...query, asOf: lastDay }));
  const { total, openingCents, closingCents } = rows[0]!;
  const { page, pageSize } = query;
  return {
    entries: rows.flatMap((row) => (row.id === null ? [] : portalEntry(entryView({ ...row, id: row.id })))),
    page,
    pageSize,
    total,
    totalPages: Math.max(1, Math.ceil(total / pageSize)),
    openingBalanceCents: clampToSafeInteger(BigInt(openingCents)),
    closingBalanceCents: clampToSafeInteger(BigInt(closingCents)),
  };
}

/** Entries whose text the office may have written for itself. */
const descriptions = { reversal: "Reversal", refund: "Refund", credit: "Credit" } as const;

/** Returns an entry without a text of the office. */
const portalEntry = <E extends { kind?: string | undefined; description: string }>(entry: E): E =>
  entry.kind !== undefined && entry.kind in descriptions ? { ...entry, description: descriptions[entry.kind as keyof typeof descriptions] } : entry;
