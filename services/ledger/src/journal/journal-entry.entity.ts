/** Tables of the journal: entries, lines, and monthly and daily account totals. */
import type { JournalEntry as View } from "@freehold/contract/ledger/journal-entries";
import { cents, defineEntity, inOrganizationBatches, orgColumns, p, plainDate, inPortalReachBatches } from "@freehold/kit/db/entity";
import type { StoredLine } from "./journal.rules.ts";

const JournalEntrySchema = defineEntity({
  name: "JournalEntry",
  tableName: "journal_entry",
  ...inPortalReachBatches,
  indexes: [
    { properties: ["organizationId", "occurredAt", "id"], name: "journal_entry_by_occurrence" },
    { name: "journal_entry_drafts", expression: "create index journal_entry_drafts on journal_entry (organization_id) where status = 'draft'" },
    {
      name: "journal_entry_by_hand",
      expression: "create index journal_entry_by_hand on journal_entry (organization_id, occurred_at) where source = 'manual'",
    },
    {
      name: "journal_entry_by_source",
      expression: "create index journal_entry_by_source on journal_entry (organization_id, source_id) where source_id is not null",
    },
    {
      name: "journal_entry_of_payouts",
      expression: "create index journal_entry_of_payouts on journal_entry (organization_id, id) where source_type = 'owner_payable'",
    },
    { name: "journal_entry_moved", expression: "create index journal_entry_moved on journal_entry (organization_id, moved_from) where moved_from is not null" },
    {
      name: "journal_entry_reversed_once",
      expression: "create unique index journal_entry_reversed_once on journal_entry (organization_id, reverses_id) where reverses_id is not null",
    },
  ],
  properties: {
    ...orgColumns,
    memo: p.text(),
    occurredAt: p.datetime(3),
    entryDate: plainDate(),
    status: p.text().$type<View["status"]>(),
    source: p.text().$type<View["source"]>(),
    sourceType: p.text().$type<View["sourceType"]>().nullable(),
    sourceId: p.uuid().nullable(),
    debitTotalCents: cents(),
    creditTotalCents: cents(),
    draftLines: p.json().$type<StoredLine[]>().nullable(),
    reversesId: p.uuid().nullable(),
    reversedById: p.uuid().nullable(),
    createdByUserId: p.uuid().nullable(),
    /** Original date of an entry that was moved from a closed period to the first open day; null for other entries. */
    movedFrom: plainDate().nullable(),
    /** Reason for which an admin posted the entry into a soft-closed period. */
    overrideReason: p.text().nullable(),
    /** Set on deleted drafts only. */
    deletedAt: p.datetime(3).nullable(),
  },
});
/** Journal entry. A trigger rejects every change of a posted entry except its reversal: the status `reversed` and the id of the reversing entry. */
export class JournalEntry extends JournalEntrySchema.class {}
JournalEntrySchema.setClass(JournalEntry);

/** Line of a posted entry, inserted by `posting.ts` or, with its rows, by `record_payments`, and never changed. */
export const JournalLine = defineEntity({
  name: "JournalLine",
  tableName: "journal_line",
  ...inPortalReachBatches,
  indexes: [
    { properties: ["organizationId", "entryId"], name: "journal_line_by_entry" },
    {
      name: "journal_line_by_account",
      expression: "create index journal_line_by_account on journal_line (organization_id, account_id, entry_date, id) include (entry_id)",
    },
    {
      name: "journal_line_by_cash_account",
      expression:
        "create index journal_line_by_cash_account on journal_line (organization_id, cash_account_id, entry_date, id) where cash_account_id is not null",
    },
    {
      name: "journal_line_by_bank_account",
      expression:
        "create index journal_line_by_bank_account on journal_line (organization_id, bank_account_id, entry_date, entry_id) where bank_account_id is not null",
    },
    {
      name: "journal_line_by_deposit",
      expression: "create index journal_line_by_deposit on journal_line (organization_id, deposit_id) where deposit_id is not null",
    },
    {
      name: "journal_line_by_owner",
      expression: "create index journal_line_by_owner on journal_line (organization_id, owner_id, account_id) where owner_id is not null",
    },
    {
      name: "journal_line_by_property",
      expression:
        "create index journal_line_by_property on journal_line (organization_id, property_id, account_id, entry_date) include (entry_id) where property_id is not null",
    },
    {
      name: "journal_line_without_property",
      expression: "create index journal_line_without_property on journal_line (organization_id, cash_account_id) where property_id is null",
    },
  ],
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    entryId: p.uuid(),
    accountId: p.uuid(),
    cashAccountId: p.uuid().nullable(),
    entryDate: plainDate(),
    debitCents: cents(),
    creditCents: cents(),
    propertyId: p.uuid().nullable(),
    unitId: p.uuid().nullable(),
    ownerId: p.uuid().nullable(),
    leaseId: p.uuid().nullable(),
    tenantId: p.uuid().nullable(),
    vendorId: p.uuid().nullable(),
    bankAccountId: p.uuid().nullable(),
    chargeId: p.uuid().nullable(),
    paymentId: p.uuid().nullable(),
    expenseId: p.uuid().nullable(),
    depositId: p.uuid().nullable(),
    description: p.text().nullable(),
    /** Transaction that posted the line, for the versions of the ledger. 0 for lines that belong to all of them. */
    transactionId: p.string().columnType("xid8").defaultRaw("pg_current_xact_id()"),
    /** Number of the era of `transactionId`. A new era begins when a dump is restored into another database cluster. */
    transactionEra: p.smallint().default(0),
  },
});

/** Totals of an account on each basis, split into one row per shard, so that concurrent postings rarely wait for each other. */
const accountTotals = () => ({
  shard: p.smallint().primary(),
  debitCents: cents(),
  creditCents: cents(),
  cashDebitCents: cents().defaultRaw("0"),
  cashCreditCents: cents().defaultRaw("0"),
  lines: p.integer().default(0),
  cashLines: p.integer().default(0),
});

/** Total debits and credits of an account in a month, maintained by a trigger on journal lines. */
export const AccountMonth = defineEntity({
  name: "AccountMonth",
  tableName: "account_month",
  ...inOrganizationBatches,
  properties: {
    organizationId: p.uuid().primary(),
    accountId: p.uuid().primary(),
    month: plainDate().primary(),
    ...accountTotals(),
  },
});

/** Total debits and credits of an account on a day, maintained like those of the month. */
export const AccountDay = defineEntity({
  name: "AccountDay",
  tableName: "account_day",
  ...inOrganizationBatches,
  properties: {
    organizationId: p.uuid().primary(),
    accountId: p.uuid().primary(),
    day: plainDate().primary(),
    ...accountTotals(),
  },
});
