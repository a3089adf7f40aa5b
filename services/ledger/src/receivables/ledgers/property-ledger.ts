/** Ledger of a property: the general ledger of the lines that are assigned to it. */
import type { ledgers } from "@freehold/contract/ledger/ledgers";
import type { Output, QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { today } from "@freehold/kit/time/clock";
import type { Clients } from "../../clients.ts";
import { listGeneralLedger } from "../../reporting/general-ledger.ts";
import { requireStartByEnd } from "../../reporting/report-dates.rules.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";

type Operation = typeof ledgers.operations.listPropertyLedger;

/** Returns a page of the lines of a property between two dates, or throws a 404 for a property that portfolio does not know. */
export async function listPropertyLedger(db: OrgDb, clients: Clients, propertyId: string, query: QueryOf<Operation>): Promise<Output<Operation>> {
  const { properties } = await clients.portfolio.getProperties(db, { ids: [propertyId] });
  if (properties.length === 0) throw notFound("Property");
  const asOf = query.asOf ?? query.to ?? today((await getLedgerSettings(db)).timezone);
  requireStartByEnd(query.from, asOf);
  const from = query.from ?? `${asOf.slice(0, 4)}-01-01`;
  return { ...(await listGeneralLedger(db, { ...query, propertyId, from, to: asOf })), asOf };
}
