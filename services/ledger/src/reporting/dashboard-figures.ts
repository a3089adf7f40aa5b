/** Financial figures of the dashboard. */
import { addDays, startOfMonth, endOfMonth } from "@freehold/kit/time/plain-date";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { DashboardFigures, GetDashboardFiguresRequest } from "@freehold/proto/ledger/v1/ledger";
import { accountDefinitions, ACCOUNTS_PAYABLE, BANK_ACCOUNTS_BY_TYPE, DEPOSITS_HELD, PREPAID_RENT, UNDEPOSITED_FUNDS } from "../chart/chart.ts";
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
 * Returns the rent of the month, open charges by days past due, and trust and payable balances, as of a date. The amounts of charges are
 * always the current ones, not those of the date.
 */
export async function getDashboardFigures(db: OrgDb, { asOf, propertyId }: GetDashboardFiguresRequest): Promise<DashboardFigures> {
  const [rent, delinquency, balances] = await Promise.all([
    getRentFigures(db, asOf, propertyId),
    getDelinquencyFigures(db, asOf, propertyId),
    getBalanceFigures(db, asOf, propertyId),
  ]);
  return { ...rent, ...delinquency, ...balances };
}

const propertyCondition = (propertyId: string | undefined): RawBuilder<unknown> => (propertyId === undefined ? sql`true` : sql`property_id = ${propertyId}`);

async function getRentFigures(db: OrgDb, asOf: string, propertyId: string | undefined): Promise<RentFigures> {
  const row = await db.first(sql<RentFigures>`select ${clampSumToSafeInteger(sql`sum(amount_cents)`)} as rent_billed_cents,
      ${clampSumToSafeInteger(sql`sum(allocated_cents)`)} as rent_collected_cents, ${clampSumToSafeInteger(sql`sum(balance_cents)`)} as rent_outstanding_cents
    from charge where organization_id = ${db.organizationId} and due_date between ${startOfMonth(asOf)} and ${endOfMonth(asOf)}
      and charge_type = 'rent' and status <> 'voided' and ${propertyCondition(propertyId)}`);
  return row!;
}

async function getDelinquencyFigures(db: OrgDb, asOf: string, propertyId: string | undefined): Promise<DelinquencyFigures> {
  const openCentsPastDue = (maxDays: number | undefined, minDays: number | undefined) =>
    clampSumToSafeInteger(sql`sum(balance_cents) filter (where due_date between ${maxDays === undefined ? "-infinity" : addDays(asOf, -maxDays)}::date
      and ${minDays === undefined ? "infinity" : addDays(asOf, -minDays)}::date)`);
  const row = await db.first(sql<DelinquencyFigures>`select count(distinct lease_id) filter (where due_date < ${asOf}::date) as delinquent_leases,
      ${openCentsPastDue(0, undefined)} as current_cents, ${openCentsPastDue(30, 1)} as days1_to30_cents, ${openCentsPastDue(60, 31)} as days31_to60_cents,
      ${openCentsPastDue(90, 61)} as days61_to90_cents, ${openCentsPastDue(undefined, 91)} as days_over90_cents,
      ${clampSumToSafeInteger(sql`sum(balance_cents)`)} as open_cents
    from open_charge where organization_id = ${db.organizationId} and ${propertyCondition(propertyId)}`);
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
