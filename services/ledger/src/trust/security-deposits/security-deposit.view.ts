/** Security deposits with their amounts and statuses, derived from their charges, deductions and transactions. */
import type { SecurityDeposit as View } from "@freehold/contract/trust/security-deposit.schema";
import { clampSumToSafeInteger } from "@freehold/domain/money";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";

/** Row of `securityDepositRows`. */
export interface SecurityDepositRow extends Omit<View, "disposition" | "interestCents" | "refundPayableCents"> {
  tenancyId: string;
  isOpen: boolean;
  dispositionSentAt: string | null;
  dispositionMethod: NonNullable<View["disposition"]>["method"] | null;
  version: number;
}

/** Returns the time of a column as text in the form of the API. */
const timeText = (column: string) => sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
const live = sql.raw("x.voided_at is null");
/** Condition that the security deposit `d` has a transaction that was not voided. */
export const hasTransactions = sql`exists (select from security_deposit_transaction x
  where x.organization_id = d.organization_id and x.security_deposit_id = d.id and ${live})`;
/** Condition that no credit of the row `x` was taken back with a superseded charge, whose amount is held again. */
const isSettled = (creditId: string) =>
  sql.raw(`not exists (select from charge_credit k where k.organization_id = x.organization_id and k.reversed_at is not null and k.id = ${creditId})`);

/**
 * Selects the security deposits of the organization that meet a condition on the table `s`. What is held is what was received, less what
 * was applied, transferred and refunded and, once the disposition is finalized, deducted. Money that a deposit's owner holds was
 * transferred to the owner, but is still held.
 */
export const securityDepositRows = (db: StatementRunner, today: string, condition: RawBuilder<unknown> = sql`true`): RawBuilder<unknown> => sql`(
  select amounts.*, case
      when disposition_sent_at is not null then case when held_cents > 0 then 'disposed' when refunded_cents > 0 then 'refunded' else 'forfeited' end
      when not is_open and held_cents <= 0 then 'transferred'
      when held_cents <= 0 then 'expected'
      when move_out_date <= ${today} then 'disposition_due'
      else 'held' end as status
  from (
    select s.*, greatest(s.updated_at, charged.changed_at) as changed_at, charged.charge_ids, deducted.deductions, moved.transactions,
      ${clampSumToSafeInteger(sql`charged.cents + moved.in_cents`)} as received_cents, ${clampSumToSafeInteger(sql`deducted.cents`)} as deductions_cents,
      ${clampSumToSafeInteger(sql`moved.refunded_cents`)} as refunded_cents,
      ${clampSumToSafeInteger(sql`charged.cents + moved.in_cents - moved.out_cents - case when s.holder = 'owner' then 0 else moved.owner_cents end
        - case when s.disposition_sent_at is not null then deducted.settled_cents else 0 end`)} as held_cents
    from security_deposit s
    cross join lateral (select coalesce(sum(c.allocated_cents), 0) as cents, max(c.updated_at) as changed_at, coalesce(array_agg(c.id order by c.id), '{}') as charge_ids
      from security_deposit_charge x join charge c on c.organization_id = x.organization_id and c.id = x.id
      where x.organization_id = s.organization_id and x.security_deposit_id = s.id) charged
    cross join lateral (select coalesce(sum(x.amount_cents), 0) as cents, coalesce(sum(x.amount_cents) filter (where ${isSettled("x.credit_id")}), 0) as settled_cents,
        coalesce(json_agg(json_build_object('id', x.id, 'category', x.category, 'description', x.description, 'amountCents', x.amount_cents, 'chargeId', x.charge_id,
          'documentIds', x.document_ids, 'journalEntryId', x.entry_id) order by x.created_at, x.id), '[]') as deductions
      from security_deposit_deduction x where x.organization_id = s.organization_id and x.security_deposit_id = s.id) deducted
    cross join lateral (select coalesce(sum(x.amount_cents) filter (where ${live} and x.kind in ('receipt', 'transfer_in')), 0) as in_cents,
        coalesce(sum(x.amount_cents) filter (where ${live} and x.kind in ('application', 'transfer_out', 'refund') and (x.kind <> 'application' or ${isSettled("any(x.credit_ids)")})), 0) as out_cents,
        coalesce(sum(x.amount_cents) filter (where ${live} and x.kind = 'owner_transfer'), 0) as owner_cents,
        coalesce(sum(x.amount_cents) filter (where ${live} and x.kind = 'refund'), 0) as refunded_cents,
        coalesce(json_agg(json_build_object('id', x.id, 'kind', x.kind, 'amountCents', x.amount_cents, 'occurredOn', x.occurred_on, 'chargeId', x.charge_id, 'ownerId', x.owner_id,
          'counterpartId', x.counterpart_id, 'method', x.method, 'bankAccountId', coalesce(x.bank_account_id, x.account_id), 'referenceNumber', x.reference_number, 'payees', x.payees,
          'journalEntryId', x.entry_id, 'createdAt', ${timeText("x.created_at")}, 'voidedAt', ${timeText("x.voided_at")}, 'voidReason', x.void_reason) order by x.created_at, x.id), '[]') as transactions
      from security_deposit_transaction x where x.organization_id = s.organization_id and x.security_deposit_id = s.id) moved
    where s.organization_id = ${db.organizationId} and ${condition}) amounts) d`;

export const securityDepositColumns = sql`d.id, d.organization_id, d.tenancy_id, d.lease_id, d.tenant_id, d.property_id, d.unit_id, d.bank_account_id, d.holder, d.required_cents,
  d.received_cents, d.deductions_cents, d.refunded_cents, d.held_cents, d.status, d.is_open, d.move_out_date, d.disposition_due_on, d.forwarding_address, d.charge_ids,
  d.deductions, d.disposition_sent_at, d.disposition_method, d.transactions, d.created_at, d.changed_at as updated_at, d.version`;

/** Returns the API representation of a security deposit. */
export function securityDepositView({
  version,
  tenancyId: _tenancyId,
  isOpen: _isOpen,
  dispositionSentAt,
  dispositionMethod,
  ...row
}: SecurityDepositRow): View {
  const draftCents = dispositionSentAt ? 0 : row.deductionsCents;
  const view = {
    ...row,
    interestCents: 0,
    refundPayableCents: Math.max(row.heldCents - draftCents, 0),
    disposition: dispositionSentAt ? { sentAt: dispositionSentAt, method: dispositionMethod!, documentId: null } : null,
  };
  return withVersion(view as View, version);
}
