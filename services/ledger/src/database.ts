/**
 * Database definition of the ledger: entities, migrations, errors of violated constraints, and the tables whose rows the service's
 * role cannot update or delete.
 */
import type { DatabaseDefinition } from "@freehold/kit/db/database";
import { conflict, invalid, unavailable } from "@freehold/kit/errors";
import { LedgerTables } from "../migrations/202611211200-books.ts";
import { Journal } from "../migrations/202611211210-journal.ts";
import { Receivables } from "../migrations/202611211220-receivables.ts";
import { Growth } from "../migrations/202611211600-growth.ts";
import { RecurringChargeSuccessors } from "../migrations/202611211812-followed-rules.ts";
import { ListTotals } from "../migrations/202611211815-list-totals.ts";
import { RentChanges } from "../migrations/202611211817-rent-changes.ts";
import { Search } from "../migrations/202611212130-search.ts";
import { MergedTenants } from "../migrations/202611212140-merged-tenants.ts";
import { OwnerLines } from "../migrations/202611212140-owner-lines.ts";
import { ShardsByTransaction } from "../migrations/202611212300-own-shards.ts";
import { SearchByKind } from "../migrations/202611220110-search-by-kind.ts";
import { StatementLevelSearchTriggers } from "../migrations/202611220430-found-in-lots.ts";
import { SearchByAllWords } from "../migrations/202611220440-search-by-all-words.ts";
import { LeasesByPayer } from "../migrations/202611222300-leases-by-payer.ts";
import { DeletedTenants } from "../migrations/202611222310-deleted-tenants.ts";
import { DatedSettlements } from "../migrations/202611222320-dated-settlements.ts";
import { Documents } from "../migrations/202611230010-documents.ts";
import { ReleasedAllocations } from "../migrations/202611230100-released-allocations.ts";
import { RemovedAllocations } from "../migrations/202611230110-removed-allocations.ts";
import { Refunds } from "../migrations/202611230120-refunds.ts";
import { BankDeposits } from "../migrations/202611230130-bank-deposits.ts";
import { MovedDueDates } from "../migrations/202611230200-moved-due-dates.ts";
import { ChargeCredits } from "../migrations/202611230210-charge-credits.ts";
import { LateFees } from "../migrations/202611230220-late-fees.ts";
import { SupersededCharges } from "../migrations/202611230250-superseded-charges.ts";
import { DeletedDrafts } from "../migrations/202611230300-deleted-drafts.ts";
import { GuardedEntries } from "../migrations/202611230310-guarded-entries.ts";
import { TotalsByBasis } from "../migrations/202611230320-totals-by-basis.ts";
import { AccountingPeriods } from "../migrations/202611230330-accounting-periods.ts";
import { RepeatedLateFees } from "../migrations/202611230340-repeated-late-fees.ts";
import { Tenancies } from "../migrations/202611230400-tenancies.ts";
import { VoidedRefunds } from "../migrations/202611230410-voided-refunds.ts";
import { BankFees } from "../migrations/202611230420-bank-fees.ts";
import { PostponedCredit } from "../migrations/202611230430-postponed-credit.ts";
import { LedgerVersions } from "../migrations/202611230440-ledger-versions.ts";
import { LateFeeReviews } from "../migrations/202611230450-late-fee-reviews.ts";
import { PaymentBatches } from "../migrations/202611230460-payment-batches.ts";
import { RenewalTakeovers } from "../migrations/202611230470-renewal-takeovers.ts";
import { BinaryPaymentBatches } from "../migrations/202611230480-binary-payment-batches.ts";
import { GuardedReversals } from "../migrations/202611230490-guarded-reversals.ts";
import { CarriedCredits } from "../migrations/202611230500-carried-credits.ts";
import { TenantReassignments } from "../migrations/202611230520-tenant-reassignments.ts";
import { DailyTotals } from "../migrations/202611230530-daily-totals.ts";
import { OriginalsOfCarriedCredits } from "../migrations/202611230560-originals-of-carried-credits.ts";
import { PaymentsAfterTakeovers } from "../migrations/202611230570-payments-after-takeovers.ts";
import { DeletedRecurringCharges } from "../migrations/202611230580-deleted-recurring-charges.ts";
import { VersionsOfProjectedLeases } from "../migrations/202611230590-versions-of-projected-leases.ts";
import { UnusedSearch } from "../migrations/202611230600-unused-search.ts";
import { CarriedPayments } from "../migrations/202611230610-carried-payments.ts";
import { RequestedDaysOfCredits } from "../migrations/202611230620-requested-days-of-credits.ts";
import { AgreedStartsOfFees } from "../migrations/202611230630-agreed-starts-of-fees.ts";
import { ContinuedFees } from "../migrations/202611230640-continued-fees.ts";
import { TakeoversBesidePayments } from "../migrations/202611230650-takeovers-beside-payments.ts";
import { SearchPathsOfFunctions } from "../migrations/202611230660-search-paths-of-functions.ts";
import { AccountsByTotals } from "../migrations/202611230670-accounts-by-totals.ts";
import { PostingHolds } from "../migrations/202611230680-posting-holds.ts";
import { entities } from "./entities.ts";

export const database: DatabaseDefinition = {
  service: "ledger",
  entities,
  migrations: {
    "202611211200-books": LedgerTables,
    "202611211210-journal": Journal,
    "202611211220-receivables": Receivables,
    "202611211600-growth": Growth,
    "202611211812-followed-rules": RecurringChargeSuccessors,
    "202611211815-list-totals": ListTotals,
    "202611211817-rent-changes": RentChanges,
    "202611212130-search": Search,
    "202611212140-merged-tenants": MergedTenants,
    "202611212140-owner-lines": OwnerLines,
    "202611212300-own-shards": ShardsByTransaction,
    "202611220110-search-by-kind": SearchByKind,
    "202611220430-found-in-lots": StatementLevelSearchTriggers,
    "202611220440-search-by-all-words": SearchByAllWords,
    "202611222300-leases-by-payer": LeasesByPayer,
    "202611222310-deleted-tenants": DeletedTenants,
    "202611222320-dated-settlements": DatedSettlements,
    "202611230010-documents": Documents,
    "202611230100-released-allocations": ReleasedAllocations,
    "202611230110-removed-allocations": RemovedAllocations,
    "202611230120-refunds": Refunds,
    "202611230130-bank-deposits": BankDeposits,
    "202611230200-moved-due-dates": MovedDueDates,
    "202611230210-charge-credits": ChargeCredits,
    "202611230220-late-fees": LateFees,
    "202611230250-superseded-charges": SupersededCharges,
    "202611230300-deleted-drafts": DeletedDrafts,
    "202611230310-guarded-entries": GuardedEntries,
    "202611230320-totals-by-basis": TotalsByBasis,
    "202611230330-accounting-periods": AccountingPeriods,
    "202611230340-repeated-late-fees": RepeatedLateFees,
    "202611230400-tenancies": Tenancies,
    "202611230410-voided-refunds": VoidedRefunds,
    "202611230420-bank-fees": BankFees,
    "202611230430-postponed-credit": PostponedCredit,
    "202611230440-ledger-versions": LedgerVersions,
    "202611230450-late-fee-reviews": LateFeeReviews,
    "202611230460-payment-batches": PaymentBatches,
    "202611230470-renewal-takeovers": RenewalTakeovers,
    "202611230480-binary-payment-batches": BinaryPaymentBatches,
    "202611230490-guarded-reversals": GuardedReversals,
    "202611230500-carried-credits": CarriedCredits,
    "202611230520-tenant-reassignments": TenantReassignments,
    "202611230530-daily-totals": DailyTotals,
    "202611230560-originals-of-carried-credits": OriginalsOfCarriedCredits,
    "202611230570-payments-after-takeovers": PaymentsAfterTakeovers,
    "202611230580-deleted-recurring-charges": DeletedRecurringCharges,
    "202611230590-versions-of-projected-leases": VersionsOfProjectedLeases,
    "202611230600-unused-search": UnusedSearch,
    "202611230610-carried-payments": CarriedPayments,
    "202611230620-requested-days-of-credits": RequestedDaysOfCredits,
    "202611230630-agreed-starts-of-fees": AgreedStartsOfFees,
    "202611230640-continued-fees": ContinuedFees,
    "202611230650-takeovers-beside-payments": TakeoversBesidePayments,
    "202611230660-search-paths-of-functions": SearchPathsOfFunctions,
    "202611230670-accounts-by-totals": AccountsByTotals,
    "202611230680-posting-holds": PostingHolds,
  },
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
