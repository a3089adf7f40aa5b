/** Tables of reconciliations and of their transactions. */
import { matchReasons, reconciliationStatuses, type ThreeWay } from "@freehold/contract/trust/reconciliations";
import { cents, defineEntity, enumText, inOrganization, orgColumns, p, plainDate } from "@freehold/kit/db/entity";

/** Names as they were when a reconciliation was finalized, for its report. */
export interface ReportNames {
  organizationName: string;
  bankAccountName: string;
  institutionName: string;
  accountMask: string;
}

const ReconciliationSchema = defineEntity({
  name: "Reconciliation",
  tableName: "reconciliation",
  ...inOrganization,
  indexes: [
    { properties: ["organizationId", "statementEndDate", "id"], name: "reconciliation_by_end" },
    {
      name: "reconciliation_one_draft",
      expression: "create unique index reconciliation_one_draft on reconciliation (organization_id, bank_account_id) where status = 'draft'",
    },
    {
      name: "reconciliation_one_a_statement",
      expression:
        "create unique index reconciliation_one_a_statement on reconciliation (organization_id, bank_account_id, statement_end_date) where status = 'finalized'",
    },
  ],
  properties: {
    ...orgColumns,
    bankAccountId: p.uuid(),
    statementStartDate: plainDate(),
    statementEndDate: plainDate(),
    statementEndingBalanceCents: cents(),
    status: enumText(reconciliationStatuses),
    /** Figures of a draft are derived; they are stored when it is finalized or voided. */
    openingBalanceCents: cents().nullable(),
    clearedDepositsCents: cents().nullable(),
    clearedWithdrawalsCents: cents().nullable(),
    threeWay: p.json().$type<ThreeWay>().nullable(),
    names: p.json().$type<ReportNames>().nullable(),
    varianceNote: p.text().nullable(),
    finalizedAt: p.datetime(3).nullable(),
    finalizedByUserId: p.uuid().nullable(),
    voidedAt: p.datetime(3).nullable(),
    voidReason: p.text().nullable(),
  },
});
/** Reconciliation of a bank account with a statement. A trigger rejects every change of a finalized one except its void. */
export class Reconciliation extends ReconciliationSchema.class {}
ReconciliationSchema.setClass(Reconciliation);

/**
 * Transaction of a reconciliation: cleared in it or, once it is finalized, outstanding at the end of its statement. Items of a voided
 * reconciliation are not live and have no effect.
 */
export const ReconciliationItem = defineEntity({
  name: "ReconciliationItem",
  tableName: "reconciliation_item",
  ...inOrganization,
  indexes: [
    {
      name: "reconciliation_item_cleared_once",
      expression:
        "create unique index reconciliation_item_cleared_once on reconciliation_item (organization_id, bank_account_id, entry_id) where is_cleared and is_live",
    },
    {
      name: "reconciliation_item_by_entry",
      expression: "create index reconciliation_item_by_entry on reconciliation_item (organization_id, entry_id) where is_cleared and is_live",
    },
    {
      name: "reconciliation_item_by_line",
      expression: "create index reconciliation_item_by_line on reconciliation_item (organization_id, statement_line_id) where statement_line_id is not null",
    },
  ],
  properties: {
    organizationId: p.uuid().primary(),
    reconciliationId: p.uuid().primary(),
    entryId: p.uuid().primary(),
    bankAccountId: p.uuid(),
    entryDate: plainDate(),
    amountCents: cents(),
    isCleared: p.boolean(),
    /** Set on the opening balance of the account, which the first reconciliation starts from. */
    isOpening: p.boolean().default(false),
    isLive: p.boolean().default(true),
    statementLineId: p.uuid().nullable(),
    matchReason: enumText(matchReasons).nullable(),
  },
});
