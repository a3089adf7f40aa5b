/** Ledger of an owner: the parts of income, expenses and equity of properties that are the owner's. */
import type { ownerLedgers } from "@freehold/contract/trust/owner-ledgers";
import type { Output, QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { unknownReference } from "@freehold/kit/errors";
import { today } from "@freehold/kit/time/clock";
import type { Clients } from "../../clients.ts";
import { readReport } from "../../reporting/ledger-version.ts";
import { requireStartByEnd } from "../../reporting/report-dates.rules.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { findOwnedProperties, requireOwner } from "../owned-properties.ts";
import { shareTerms } from "../ownership.rules.ts";
import { ownerLedgerPage, type OwnerLedgerRow } from "./owner-ledger.queries.ts";

type Operation = typeof ownerLedgers.operations.listOwnerLedger;
type Response = Output<Operation>;

/** Returns a page of the ledger of an owner, oldest first. Throws 404 for an unknown owner, and a 400 for a property that the owner never owned. */
export async function listOwnerLedger(
  db: OrgDb,
  clients: Clients,
  ownerId: string,
  { propertyId, to, ledgerVersion: requestedVersion, ...query }: QueryOf<Operation>,
): Promise<Response> {
  const [{ timezone }, , properties] = await Promise.all([
    getLedgerSettings(db),
    requireOwner(db, clients, ownerId),
    findOwnedProperties(db, clients, [ownerId]),
  ]);
  const lastDay = to ?? today(timezone);
  requireStartByEnd(query.from, lastDay);
  const selected = propertyId === undefined ? properties : properties.filter((property) => property.propertyId === propertyId);
  if (propertyId !== undefined && selected.length === 0) throw unknownReference("propertyId", "property of the owner");
  const { rows, ledgerVersion } = await readReport(db, requestedVersion, (version) =>
    ownerLedgerPage(db, selected.flatMap(shareTerms), { ...query, ownerId, to: lastDay, ledgerVersion: version }),
  );
  return { ...ownerLedgerView(rows, query), ledgerVersion };
}

/** Returns the API representation of a page of the ledger of an owner. */
export function ownerLedgerView(rows: readonly OwnerLedgerRow[], { page, pageSize }: { page: number; pageSize: number }): Omit<Response, "ledgerVersion"> {
  const { total, openingCents, closingCents } = rows[0]!;
  return {
    entries: rows.flatMap((row) => (row.journalEntryId === null ? [] : [entryView({ ...row, journalEntryId: row.journalEntryId })])),
    page,
    pageSize,
    total,
    totalPages: Math.max(1, Math.ceil(total / pageSize)),
    openingBalanceCents: openingCents,
    closingBalanceCents: closingCents,
  } as Omit<Response, "ledgerVersion">;
}

function entryView({ journalEntryId, ownCents, ...row }: OwnerLedgerRow & { journalEntryId: string }) {
  const { date, propertyId, accountId, accountCode, accountName, description, shareBps, totalCents, balanceCents } = row;
  return {
    journalEntryId,
    date,
    propertyId,
    accountId,
    accountCode,
    accountName,
    description,
    shareBps,
    totalCents,
    debitCents: Math.max(-ownCents, 0),
    creditCents: Math.max(ownCents, 0),
    balanceCents,
  };
}
