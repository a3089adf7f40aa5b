/** Ledger of an owner, in the owner portal. */
import { PortalOwnerLedgerEntry, type ownerPortalMoney } from "@freehold/contract/portals/owner-portal-money";
import type { Output, QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { pickPortalFields } from "@freehold/kit/http/portal-fields";
import { today } from "@freehold/kit/time/clock";
import type { Clients } from "../../clients.ts";
import { ownerLedgerView } from "../../owners/ledgers/owner-ledger.ts";
import { ownerLedgerPage } from "../../owners/ledgers/owner-ledger.queries.ts";
import { shareTerms } from "../../owners/ownership.rules.ts";
import { requireStartByEnd } from "../../reporting/report-dates.rules.ts";
import { openOwnerAccess } from "./owner-access.ts";

type Operation = typeof ownerPortalMoney.operations.listOwnerPortalLedger;

/** Returns a page of the ledger of the caller, oldest first. Throws a 404 for a property that the caller never owned. */
export async function listOwnerPortalLedger(caller: OrgDb, clients: Clients, { propertyId, to, ...query }: QueryOf<Operation>): Promise<Output<Operation>> {
  const { db, ownerId, timezone, properties } = await openOwnerAccess(caller, clients, propertyId);
  const lastDay = to ?? today(timezone);
  requireStartByEnd(query.from, lastDay);
  const rows = await db.all(ownerLedgerPage(db, properties.flatMap(shareTerms), { ...query, ownerId, to: lastDay, ledgerVersion: undefined }));
  const { entries, ...page } = ownerLedgerView(rows, query);
  return { entries: entries.map((entry) => pickPortalFields(PortalOwnerLedgerEntry, entry)), ...page };
}
