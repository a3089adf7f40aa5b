/** Financial figures of the dashboard. */
import { today } from "@freehold/kit/time/clock";
import { addDays, startOfMonth, endOfMonth } from "@freehold/kit/time/plain-date";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { DashboardFigures, GetDashboardFiguresRequest } from "@freehold/proto/ledger/v1/ledger";
import { getChart, type Chart } from "../chart/categories.ts";
import {
  accountDefinitions,
  ACCOUNTS_PAYABLE,
  ACCOUNTS_RECEIVABLE,
  BANK_ACCOUNTS_BY_TYPE,
  DEPOSITS_HELD,
  PREPAID_RENT,
  UNDEPOSITED_FUNDS,
} from "../chart/chart.ts";
import { clampToSafeInteger, clampSumToSafeInteger } from "@freehold/domain/money";
import { selectUnreconciledAccounts } from "../trust/reconciliations/unreconciled-accounts.queries.ts";
import { readOwnersMoney } from "./owners-money.ts";
import { readClosingBalances } from "./trial-balance.ts";

type RentFigures = Pick<DashboardFigures, "rentBilledCents" | "rentCollectedCents" | "rentOutstandingCents">;
type DelinquencyFigures = Pick<
  DashboardFigures,
  "delinquentLeases" | "currentCents" | "days1To30Cents" | "days31To60Cents" | "days61To90Cents" | "daysOver90Cents" | "openCents"
>;
type BalanceFigures = Pick<
  DashboardFigures,
  "trustBankCents" | "trustLiabilityCents" | "trustVarianceCents" | "ownerPayableCents" | "vendorPayableCents" | "unreconciledAccounts"
>;

/**
 * Returns the rent of the month, open charges by days past due, and trust and payable balances, as of a date. Charges have the amounts with
 * which they are posted today; what was settled after the date is still open.
 */
export async function getDashboardFigures(db: OrgDb, { asOf, propertyId }: GetDashboardFiguresRequest): Promise<DashboardFigures> {
  const settled = selectSettledSince(db, await getChart(db), asOf);
  const [rent, delinquency, balances] = await Promise.all([
    getRentFigures(db, asOf, propertyId, settled),
    getDelinquencyFigures(db, asOf, propertyId, settled),
    getBalanceFigures(db, asOf, propertyId),
  ]);
  return { ...rent, ...delinquency, ...balances };
}

const propertyCondition = (propertyId: string | undefined): RawBuilder<unknown> => (propertyId === undefined ? sql`true` : sql`property_id = ${propertyId}`);

/** Selects what was settled of charges after a day, less what was undone, and of it what was paid. Payments of charges that are due later, whose settlement is dated on that day, count on that of their receipt. */
function selectSettledSince(db: OrgDb, chart: Chart, day: string): RawBuilder<unknown> {
  const { timezone } = db.principal;
  const cents = sql`l.credit_cents - l.debit_cents`;
  return sql`select l.charge_id, sum(${cents}) as settled_cents, coalesce(sum(${cents}) filter (where l.payment_id is not null), 0) as paid_cents
    from journal_line l join journal_entry e on e.organization_id = l.organization_id and e.id = l.entry_id
      left join journal_entry reversed on reversed.organization_id = e.organization_id and reversed.id = e.reverses_id
      left join payment p on p.organization_id = l.organization_id and p.id = l.payment_id
    where l.organization_id = ${db.organizationId} and l.account_id = ${chart.accountId(ACCOUNTS_RECEIVABLE)} and l.charge_id is not null
      and l.entry_date > ${day} and (l.entry_date <= ${today(timezone)} or (p.received_at at time zone ${timezone})::date > ${day}) and coalesce(reversed.source, e.source) <> 'charge'
    group by l.charge_id`;
}

async function getRentFigures(db: OrgDb, asOf: string, propertyId: string | undefined, settled: RawBuilder<unknown>): Promise<RentFigures> {
  const row = await db.first(sql<RentFigures>`with settled as materialized (${settled})
    select ${clampSumToSafeInteger(sql`sum(amount_cents)`)} as rent_billed_cents,
      ${clampSumToSafeInteger(sql`sum(allocated_cents - coalesce(settled.paid_cents, 0))`)} as rent_collected_cents,
      ${clampSumToSafeInteger(sql`sum(balance_cents + coalesce(settled.settled_cents, 0))`)} as rent_outstanding_cents
    from charge left join settled on settled.charge_id = charge.id
    where organization_id = ${db.organizationId} and due_date between ${startOfMonth(asOf)} and ${endOfMonth(asOf)}
      and charge_type = 'rent' and status <> 'voided' and ${propertyCondition(propertyId)}`);
  return row!;
}

async function getDelinquencyFigures(db: OrgDb, asOf: string, propertyId: string | undefined, settled: RawBuilder<unknown>): Promise<DelinquencyFigures> {
  const openCentsPastDue = (maxDays: number | undefined, minDays: number | undefined) =>
    clampSumToSafeInteger(sql`sum(open_cents) filter (where due_date between ${maxDays === undefined ? "-infinity" : addDays(asOf, -maxDays)}::date
      and ${minDays === undefined ? "infinity" : addDays(asOf, -minDays)}::date)`);
  const row = await db.first(sql<DelinquencyFigures>`with settled as materialized (${settled}),
      part as (select charge_id, lease_id, due_date, balance_cents as cents from open_charge where organization_id = ${db.organizationId} and ${propertyCondition(propertyId)}
        union all select c.id, c.lease_id, c.due_date, settled.settled_cents from settled join charge c on c.organization_id = ${db.organizationId} and c.id = settled.charge_id
          where c.status <> 'voided' and ${propertyCondition(propertyId)}),
      open as (select lease_id, due_date, sum(cents) as open_cents from part group by charge_id, lease_id, due_date having sum(cents) <> 0)
    select count(distinct lease_id) filter (where due_date < ${asOf}::date) as delinquent_leases,
      ${openCentsPastDue(0, undefined)} as current_cents, ${openCentsPastDue(30, 1)} as days1_to30_cents, ${openCentsPastDue(60, 31)} as days31_to60_cents,
      ${openCentsPastDue(90, 61)} as days61_to90_cents, ${openCentsPastDue(undefined, 91)} as days_over90_cents,
      ${clampSumToSafeInteger(sql`sum(open_cents)`)} as open_cents from open`);
  return row!;
}

const TRUST_BANK_CODES = [
  UNDEPOSITED_FUNDS,
  ...accountDefinitions.flatMap(({ isBank, code }) => (isBank && code !== BANK_ACCOUNTS_BY_TYPE.business ? [code] : [])),
];

async function getBalanceFigures(db: OrgDb, asOf: string, propertyId: string | undefined): Promise<BalanceFigures> {
  const [balances, ownersCents, unreconciledAccounts] = await Promise.all([
    readClosingBalances(db, asOf, propertyId),
    readOwnersMoney(db, asOf, propertyId),
    countUnreconciled(db, addDays(startOfMonth(asOf), -1)),
  ]);
  const debitBalance = (...codes: readonly string[]) => codes.reduce((sum, code) => sum + (balances.get(code) ?? 0n), 0n);
  const bankCents = debitBalance(...TRUST_BANK_CODES);
  const liabilityCents = BigInt(ownersCents) - debitBalance(DEPOSITS_HELD, PREPAID_RENT);
  return {
    trustBankCents: clampToSafeInteger(bankCents),
    trustLiabilityCents: clampToSafeInteger(liabilityCents),
    trustVarianceCents: clampToSafeInteger(bankCents - liabilityCents),
    ownerPayableCents: ownersCents,
    vendorPayableCents: clampToSafeInteger(-debitBalance(ACCOUNTS_PAYABLE)),
    unreconciledAccounts,
  };
}

const countUnreconciled = async (db: OrgDb, day: string): Promise<number> =>
  (await db.first(sql<{ count: number }>`select count(*) from (${selectUnreconciledAccounts(db, day)}) account`))!.count;
