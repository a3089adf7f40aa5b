/** Money of properties in the trust accounts by purpose, derived from the journal and the unpaid expenses. */
import { clampSumToSafeInteger } from "@freehold/domain/money";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { OwnedProperty } from "@freehold/proto/portfolio/v1/portfolio";
import type { Chart } from "../../chart/categories.ts";
import { DEPOSITS_HELD, PREPAID_RENT } from "../../chart/chart.ts";
import type { BankAccount } from "../../trust/bank-accounts/bank-account.entity.ts";
import type { UnpaidExpense } from "../ownership.rules.ts";
import { isOfPayout } from "./owner-ledger.queries.ts";
import type { PropertyFigures } from "./property-figures.rules.ts";

/** Trust account whose money is counted: the lines on its account of the chart that name it. */
export type CountedAccount = Pick<BankAccount, "id" | "categoryId" | "accountType">;

/** Returns the trust accounts whose money is counted: the given one, or all. */
export const findCountedAccounts = (db: StatementRunner, bankAccountId: string | undefined): Promise<CountedAccount[]> =>
  db.all(sql<CountedAccount>`select id, category_id, account_type from bank_account where organization_id = ${db.organizationId} and account_type <> 'business'
    and ${bankAccountId === undefined ? sql`true` : sql`id = ${bankAccountId}`}`);

/** Condition that a journal line `l` moves money of one of some accounts. */
const isInAccounts = (accounts: readonly CountedAccount[]): RawBuilder<unknown> =>
  accounts.length === 0
    ? sql`false`
    : sql.join(
        accounts.map(({ id, categoryId }) => sql`(l.bank_account_id = ${id} and l.account_id = ${categoryId})`),
        sql` or `,
      );

/** Day at whose end money is counted, in the time zone of the ledger, and the trust account that is counted, by default all. */
export interface MoneyScope {
  asOf: string;
  timezone: string;
  bankAccountId?: string | undefined;
  /** Counts payouts to owners from the beginning, whenever they are paid, so that none is paid twice. */
  countsLaterPayouts?: boolean;
}

/** Figures of a property that the ledger knows, with the documents behind them. */
export type FiguresRow = Omit<PropertyFigures, "reserveCents" | "additionalReserveCents" | "managementFeesCents"> & {
  propertyId: string;
  unpaidExpenses: UnpaidExpense[];
  heldWorkOrderIds: string[];
};

/**
 * Selects the figures of properties at the end of a day in trust accounts. Deposits held and prepaid rent count
 * while the money of their payment is in a trust account, as in the sub-ledgers. Approved estimates count less
 * the expenses of their work order that are recorded, and no longer when the work order is completed and one of them needs no approval or has it.
 */
export function selectPropertyFigures(
  db: StatementRunner,
  chart: Chart,
  accounts: readonly CountedAccount[],
  properties: readonly Pick<OwnedProperty, "propertyId" | "heldEstimates">[],
  { asOf, timezone, countsLaterPayouts = false }: Omit<MoneyScope, "bankAccountId">,
): RawBuilder<FiguresRow> {
  const propertyIds = properties.map(({ propertyId }) => propertyId);
  const estimates = properties.flatMap(({ propertyId, heldEstimates }) =>
    heldEstimates.map(({ workOrderId, amountCents, isCompleted }) => ({
      property_id: propertyId,
      work_order_id: workOrderId,
      amount_cents: amountCents,
      is_completed: isCompleted,
    })),
  );
  const sumWhere = (amount: RawBuilder<unknown>, condition: RawBuilder<unknown>) =>
    clampSumToSafeInteger(sql`coalesce(sum(${amount}) filter (where ${condition}), 0)`);
  const cents = (sum: string, condition = sql`true`) => sumWhere(sql.ref(sum), condition);
  const accountIds = sql`${accounts.map(({ id }) => id)}::uuid[]`;
  // A condition of the sums, since the planner would expect few lines of many and sort them.
  const isCash = isInAccounts(accounts);
  const amount = sql`l.debit_cents - l.credit_cents`;
  const isLiability = (line: string) =>
    sql`${sql.ref(`${line}.organization_id`)} = ${db.organizationId} and ${sql.ref(`${line}.account_id`)} in (${chart.accountId(DEPOSITS_HELD)}, ${chart.accountId(PREPAID_RENT)})
      and ${sql.ref(`${line}.property_id`)} = any(${propertyIds}::uuid[]) and ${sql.ref(`${line}.entry_date`)} <= ${asOf}`;
  const lines = sql`journal_line l where l.organization_id = ${db.organizationId} and l.bank_account_id = any(${accountIds}) and l.property_id = any(${propertyIds}::uuid[])`;
  // The lines up to the day are summed apart from later payouts, and by themselves, so that several processes of the database share the work.
  const moneyOf = (condition: RawBuilder<unknown>) =>
    sql`select l.property_id, ${sumWhere(amount, isCash)} as cash_cents from ${lines} and ${condition} group by 1`;
  const laterPayouts = countsLaterPayouts ? sql`union all ${moneyOf(sql`l.entry_date > ${asOf} and ${isOfPayout(db, sql`l.entry_id`)}`)}` : sql``;
  return sql<FiguresRow>`
    with money as (select property_id, ${cents("cash_cents")} as cash_cents from (${moneyOf(sql`l.entry_date <= ${asOf}`)} ${laterPayouts}) dated group by 1),
      pending as (select l.property_id, ${sumWhere(amount, isCash)} as pending_cents from ${lines} and l.entry_date <= ${asOf}
          and l.payment_id in (select y.id from payment y where y.organization_id = ${db.organizationId} and y.status = 'pending') group by 1),
      liability as materialized (
        select l.property_id, l.account_id, l.bank_account_id, l.payment_id, l.credit_cents - l.debit_cents as cents from journal_line l where ${isLiability("l")}),
      held as materialized (
        select l.payment_id from ${lines} and l.entry_date <= ${asOf} and l.payment_id in (select d.payment_id from journal_line d where ${isLiability("d")} and d.bank_account_id is null)
        group by l.payment_id, l.bank_account_id having sum(${amount}) filter (where ${isCash}) > 0),
      unpaid as (
        select x.id, x.property_id, x.owner_id, x.work_order_id, coalesce(x.owned_on, x.incurred_on) as owned_on, x.amount_cents - settled.cents as cents, settled.later_cents
        from expense x cross join lateral (
            select coalesce(sum(s.amount_cents) filter (where s.settled_on <= ${asOf}
                and (s.released_at is null or coalesce(e.entry_date, (s.released_at at time zone ${timezone})::date) > ${asOf})), 0) as cents,
              coalesce(sum(s.amount_cents) filter (where s.settled_on > ${asOf} and s.released_at is null), 0) as later_cents
            from expense_allocation s left join journal_entry e on e.organization_id = s.organization_id and e.id = s.release_entry_id
            where s.organization_id = x.organization_id and s.expense_id = x.id) settled
        where x.organization_id = ${db.organizationId} and x.property_id = any(${propertyIds}::uuid[]) and x.status = 'active' and x.approval_status <> 'rejected'
          and x.incurred_on <= ${asOf} and (x.due_on is null or x.due_on <= ${asOf})),
      estimate as (
        select e.work_order_id as id, e.property_id, greatest(0, e.amount_cents - coalesce(sum(x.amount_cents), 0)) as cents
        from (select property_id, work_order_id, is_completed, sum(amount_cents) as amount_cents
            from jsonb_to_recordset(${JSON.stringify(estimates)}::jsonb) as approved(property_id uuid, work_order_id uuid, amount_cents bigint, is_completed boolean) group by 1, 2, 3) e
          left join expense x on x.organization_id = ${db.organizationId} and x.property_id = e.property_id and x.work_order_id = e.work_order_id and x.status = 'active' and x.approval_status <> 'rejected'
        group by e.work_order_id, e.property_id, e.amount_cents, e.is_completed
        having not e.is_completed or count(x.id) filter (where x.approval_status in ('not_required', 'approved')) = 0)
    select p.property_id, coalesce(m.cash_cents, 0) as cash_cents, coalesce(y.pending_cents, 0) as pending_cents,
      coalesce(l.security_deposits_cents, 0) as security_deposits_cents, coalesce(l.prepaid_rent_cents, 0) as prepaid_rent_cents,
      coalesce(u.unpaid_expenses_cents, 0) as unpaid_expenses_cents, coalesce(u.unpaid_expenses, '[]') as unpaid_expenses,
      coalesce(h.held_estimates_cents, 0) as held_estimates_cents, coalesce(h.held_work_order_ids, '{}') as held_work_order_ids
    from unnest(${propertyIds}::uuid[]) p(property_id)
      left join money m using (property_id)
      left join pending y using (property_id)
      left join (select r.property_id, ${cents("r.cents", sql`r.account_id = ${chart.accountId(DEPOSITS_HELD)}`)} as security_deposits_cents,
          ${cents("r.cents", sql`r.account_id = ${chart.accountId(PREPAID_RENT)}`)} as prepaid_rent_cents
        from liability r where r.bank_account_id = any(${accountIds}) or (r.bank_account_id is null and r.payment_id in (select payment_id from held)) group by 1) l using (property_id)
      left join (select r.property_id, ${cents("r.cents")} as unpaid_expenses_cents, json_agg(json_build_object('id', r.id, 'ownerId', r.owner_id,
          'ownedOn', r.owned_on, 'cents', r.cents, 'laterCents', r.later_cents) order by r.id) filter (where r.cents > 0) as unpaid_expenses from unpaid r group by 1) u using (property_id)
      left join (select r.property_id, ${cents("r.cents")} as held_estimates_cents, array_agg(r.id order by r.id) as held_work_order_ids
        from estimate r group by 1) h using (property_id)`;
}
