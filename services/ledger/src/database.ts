/**
 * Database definition of the ledger: entities, migrations, errors of violated constraints, and the tables whose rows the service's
 * role cannot update or delete.
 */
import type { DatabaseDefinition } from "@freehold/kit/db/database";
import { conflict, invalid, unavailable } from "@freehold/kit/errors";
import { entities } from "./entities.ts";

export const database: DatabaseDefinition = {
  service: "ledger",
  entities,
  migrations: new URL("../migrations/", import.meta.url),
  afterMigration: "select begin_transaction_era(system_identifier) from pg_control_system()",
  constraints: {
    journal_entry_reversed_once: () => conflict("The entry has already been reversed.", "already_reversed"),
    journal_entry_balances: () => invalid([{ path: "lines", code: "mismatch", message: "Debits and credits must be equal." }]),
    // Within moments the record is gone, or postings on it are accepted again. Callers repeat a request after a 503.
    postings_not_held: () => unavailable(),
    accounting_period_open: () => conflict("The accounting period was closed in the meantime. Choose a later date.", "period_closed"),
    payment_reversed_once: () => conflict("The payment has already been reversed.", "already_reversed"),
    charge_never_overpaid: () => conflict("Another payment was allocated to this charge in the meantime. Read the charge again.", "already_allocated"),
  },
  ownerOnly: { tables: ["open_charge", "transaction_era"], functions: ["begin_transaction_era", "refresh_search"] },
  appendOnly: {
    journal_entry: [
      "memo",
      "occurred_at",
      "entry_date",
      "status",
      "draft_lines",
      "debit_total_cents",
      "credit_total_cents",
      "reversed_by_id",
      "version",
      "updated_at",
      "override_reason",
      "deleted_at",
    ],
    journal_line: [],
    payment_allocation: ["released_on", "released_at", "release_entry_id", "carryable_cents", "version", "updated_at"],
    ledger_version: [],
    tenant_reassignment: [],
    charge_credit: ["reversed_at", "reversal_entry_id", "carryable_cents", "version", "updated_at"],
    // Documents of posted entries: their amounts never change.
    charge: [
      "tenant_id",
      "name",
      "memo",
      "due_date",
      "entry_id",
      "status",
      "allocated_cents",
      "credited_cents",
      "balance_cents",
      "reopened_on",
      "open_before_reopening_cents",
      "voided_at",
      "void_reason",
      "is_superseded",
      "overdue_announced_at",
      "deposit_lease_id",
      "late_fee_due_on",
      "late_fee_for_charge_id",
      "version",
      "updated_at",
    ],
    payment: [
      "tenant_id",
      "status",
      "unallocated_cents",
      "refunded_cents",
      "credit_released_on",
      "credit_before_release_cents",
      "credit_lease_id",
      "bank_deposit_id",
      "version",
      "updated_at",
    ],
    payment_refund: ["voided_at", "voided_on", "void_reason", "version", "updated_at"],
    payment_reversal: [],
    bank_deposit: ["status", "voided_at", "void_reason", "version", "updated_at"],
    bank_deposit_payment: [],
    // Each posted line counts in the type of its account.
    category: [],
    // Maintained by triggers, which run as the owner of the tables.
    account_month: [],
    account_day: [],
    open_charge: [],
    list_total: [],
  },
};
