/** Severity of each diagnostic, and the sentence that says what to do about its findings. */
import type { Diagnostic } from "@freehold/contract/trust/diagnostics";

type Text = Pick<Diagnostic, "severity" | "help">;

export const diagnosticTexts: Record<Diagnostic["key"], Text> = {
  negative_owner_ledger: {
    severity: "critical",
    help: "Money of other beneficiaries was used for the owners of these properties, or for the management company in these bank accounts. Record an owner contribution, or transfer money of the same property or of the company.",
  },
  negative_bank_balance: { severity: "critical", help: "More was paid out than the account holds. Deposit received payments, or transfer money to it." },
  deposit_mismatch: {
    severity: "critical",
    help: "Transfer deposits to a security-deposit account and other money out of it, so that its balance equals the deposits held.",
  },
  prepaid_mismatch: {
    severity: "critical",
    help: "Transfer the missing prepaid rent back to the account, or report a difference from the payments as an error.",
  },
  unused_prepayment: { severity: "info", help: "Allocate the credit of the tenants to their due charges, or refund it." },
  reserve_not_met: { severity: "warning", help: "Ask the owners for a contribution, or lower the reserve of the property." },
  stale_undeposited: { severity: "warning", help: "Record the bank deposit of these payments. Trust money must reach the bank within three business days." },
  stale_outstanding_check: {
    severity: "warning",
    help: "Ask the payee about the check, or void it and issue a new one. Banks need not pay checks older than six months.",
  },
  reconciliation_lapsed: { severity: "warning", help: "Reconcile the account with its latest statement. Trust accounts are reconciled every month." },
  vendor_insurance_lapsed: { severity: "warning", help: "Ask the vendor for a current certificate of insurance and record it." },
  journal_unbalanced: { severity: "critical", help: "The ledger is damaged. Stop posting and restore it, or report the error." },
  allocation_mismatch: { severity: "critical", help: "A document differs from its allocations. Report the error before you change the document." },
  deposit_disposition_due: { severity: "warning", help: "Record the deductions, and send the disposition before its deadline." },
  owner_receivable: { severity: "warning", help: "Fees of returned payments are owed to these properties. The next run of management fees offsets them." },
  property_imbalance: { severity: "info", help: "Reverse the entry and post one that balances at each property, or one without properties." },
  unassigned_bank_money: { severity: "warning", help: "Create a bank account of the type, and move the money to it with a journal entry that names it." },
  moved_entries: {
    severity: "info",
    help: "These entries belong to closed periods and are dated the first open day. Reopen the period if its reports must show them.",
  },
};
