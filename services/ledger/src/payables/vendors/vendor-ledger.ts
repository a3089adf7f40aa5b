/** Ledger of a vendor: what is owed to it, after each of its bills and payments. */
import type { vendorLedgers } from "@freehold/contract/payables/vendor-ledgers";
import type { Output, QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { today } from "@freehold/kit/time/clock";
import { getChart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { readReport } from "../../reporting/ledger-version.ts";
import { requireStartByEnd } from "../../reporting/report-dates.rules.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { requireVendor } from "./vendor-expenses-and-payments.ts";
import { vendorLedgerPage, type VendorLedgerRow } from "./vendor-ledger.queries.ts";

type Operation = typeof vendorLedgers.operations.listVendorLedger;
type Response = Output<Operation>;

/** Returns a page of the ledger of a vendor. Throws 404 for an unknown vendor. */
export async function listVendorLedger(
  db: OrgDb,
  clients: Clients,
  vendorId: string,
  { to, ledgerVersion: requestedVersion, ...query }: QueryOf<Operation>,
): Promise<Response> {
  const [{ timezone }, chart] = await Promise.all([getLedgerSettings(db), getChart(db), requireVendor(db, clients, vendorId)]);
  const lastDay = to ?? today(timezone);
  requireStartByEnd(query.from, lastDay);
  const { rows, ledgerVersion } = await readReport(db, requestedVersion, (version) =>
    vendorLedgerPage(db, chart, { ...query, vendorId, to: lastDay, ledgerVersion: version }),
  );
  const { total, openingCents, closingCents } = rows[0]!;
  const { page, pageSize } = query;
  return {
    entries: rows.flatMap((row) => (row.journalEntryId === null ? [] : [entryView({ ...row, journalEntryId: row.journalEntryId })])),
    page,
    pageSize,
    total,
    totalPages: Math.max(1, Math.ceil(total / pageSize)),
    openingBalanceCents: openingCents,
    closingBalanceCents: closingCents,
    ledgerVersion,
  } as Response;
}

const entryView = ({
  journalEntryId,
  date,
  source,
  sourceType,
  sourceId,
  description,
  netCents,
  balanceCents,
}: VendorLedgerRow & { journalEntryId: string }) => ({
  journalEntryId,
  date,
  kind: source === "reversal" ? ("void" as const) : sourceType === "expense" ? ("bill" as const) : ("payment" as const),
  description,
  debitCents: Math.max(-netCents, 0),
  creditCents: Math.max(netCents, 0),
  balanceCents,
  expenseId: sourceType === "expense" ? sourceId : null,
  expensePaymentId: sourceType === "expense_payment" ? sourceId : null,
});
