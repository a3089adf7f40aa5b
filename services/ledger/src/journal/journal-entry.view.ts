/** Select list and API representation of a journal entry. */
import type { JournalEntry as View } from "@freehold/contract/ledger/journal-entries";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import { sql } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";
import type { Chart } from "../chart/categories.ts";
import type { StoredLine } from "./journal.rules.ts";

export type EntryRow = Omit<View, "lines"> & { version: number; draftLines: StoredLine[] | null; postedLines: StoredLine[] | null };

/** Column of an entry with a total, which is clamped to the integers that JSON numbers represent exactly. */
const totalColumn = (name: string) => sql`${clampSumToSafeInteger(sql.ref(`e.${name}`))} as ${sql.ref(name)}`;

/** Select list of an entry with its lines: `draft_lines` of a draft, `posted_lines` of a posted entry. */
export const entryColumns = sql`e.id, e.organization_id, e.memo, e.occurred_at, e.status, e.source, e.source_type, e.source_id, ${totalColumn("debit_total_cents")}, ${totalColumn("credit_total_cents")}, e.reversed_by_id, e.reverses_id,
  e.created_by_user_id, e.created_at, e.moved_from as moved_from_date, e.override_reason, e.deleted_at, e.version, e.draft_lines,
  (select jsonb_agg(jsonb_build_object('id', l.id, 'accountId', l.account_id, 'debitCents', l.debit_cents, 'creditCents', l.credit_cents, 'propertyId', l.property_id,
      'unitId', l.unit_id, 'ownerId', l.owner_id, 'leaseId', l.lease_id, 'tenantId', l.tenant_id, 'bankAccountId', l.bank_account_id, 'chargeId', l.charge_id, 'paymentId', l.payment_id, 'description', l.description) order by l.id)
    from journal_line l where l.organization_id = e.organization_id and l.entry_id = e.id) as posted_lines`;

/** Returns the API representation of a journal entry, with the code and name of each line's account. */
export function journalEntryView({ version, draftLines, postedLines, ...entry }: EntryRow, chart: Chart): View {
  const lines = (draftLines ?? postedLines ?? []).map((line) => lineView(line, chart));
  return withVersion({ ...entry, lines }, version);
}

function lineView({ id, accountId, debitCents, creditCents, ...dimensions }: StoredLine, chart: Chart): View["lines"][number] {
  const account = chart.findAccount(accountId);
  const { propertyId, unitId, ownerId, leaseId, tenantId, bankAccountId, chargeId, paymentId, description } = dimensions;
  return {
    id,
    accountId,
    accountCode: account?.code ?? null,
    accountName: account?.name ?? null,
    debitCents: debitCents as View["debitTotalCents"],
    creditCents: creditCents as View["creditTotalCents"],
    propertyId: propertyId ?? null,
    unitId: unitId ?? null,
    ownerId: ownerId ?? null,
    leaseId: leaseId ?? null,
    tenantId: tenantId ?? null,
    bankAccountId: bankAccountId ?? null,
    chargeId: chargeId ?? null,
    paymentId: paymentId ?? null,
    description: description ?? null,
  };
}
