/** The figures of a dashboard that the books know. */
import { addDays, startOfMonth, endOfMonth } from "@freehold/kit/time/plain-date";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import type { DashboardFigures, GetDashboardFiguresRequest } from "@freehold/proto/ledger/v1/ledger";
import { ACCOUNTS_PAYABLE, chart, OWNER_PAYABLE, UNDEPOSITED_FUNDS } from "../chart/chart.ts";
import { clampToSafeInteger, clampSumToSafeInteger } from "@freehold/domain/money";
import { getTrialBalance } from "./trial-balance.ts";

type Rent = Pick<DashboardFigures, "rentBilledCents" | "rentCollectedCents" | "rentOutstandingCents">;
type Delinquency = Pick<
  DashboardFigures,
  "delinquentLeases" | "currentCents" | "days1To30Cents" | "days31To60Cents" | "days61To90Cents" | "daysOver90Cents" | "openCents"
>;
type Balances = Pick<DashboardFigures, "trustBankCents" | "trustLiabilityCents" | "trustVarianceCents" | "ownerPayableCents" | "vendorPayableCents">;

/** Rent of the month, what is open by days past due, and what the books say of trust money and payables on a day. */
export async function dashboardFigures(db: OrgDb, { asOf, propertyId }: GetDashboardFiguresRequest): Promise<DashboardFigures> {
  const [rent, delinquency, balances] = await Promise.all([
    rentOfMonth(db, asOf, propertyId),
    openByAge(db, asOf, propertyId),
    balancesOn(db, asOf, propertyId),
  ]);
  return { ...rent, ...delinquency, ...balances };
}

const within = (propertyId: string | undefined): RawBuilder<unknown> => (propertyId === undefined ? sql`true` : sql`property_id = ${propertyId}`);

async function rentOfMonth(db: OrgDb, asOf: string, propertyId: string | undefined): Promise<Rent> {
  const row = await db.first(sql<Rent>`select ${clampSumToSafeInteger(sql`sum(amount_cents)`)} as rent_billed_cents,
      ${clampSumToSafeInteger(sql`sum(allocated_cents)`)} as rent_collected_cents, ${clampSumToSafeInteger(sql`sum(balance_cents)`)} as rent_outstanding_cents
    from charge where organization_id = ${db.organizationId} and due_date between ${startOfMonth(asOf)} and ${endOfMonth(asOf)}
      and charge_type = 'rent' and status <> 'voided' and ${within(propertyId)}`);
  return row!;
}

async function openByAge(db: OrgDb, asOf: string, propertyId: string | undefined): Promise<Delinquency> {
  const dueBetween = (from: number | undefined, to: number | undefined) =>
    clampSumToSafeInteger(sql`sum(balance_cents) filter (where due_date between ${from === undefined ? "-infinity" : addDays(asOf, -from)}::date
      and ${to === undefined ? "infinity" : addDays(asOf, -to)}::date)`);
  const row = await db.first(sql<Delinquency>`select count(distinct lease_id) filter (where due_date < ${asOf}::date) as delinquent_leases,
      ${dueBetween(0, undefined)} as current_cents, ${dueBetween(30, 1)} as days1_to30_cents, ${dueBetween(60, 31)} as days31_to60_cents,
      ${dueBetween(90, 61)} as days61_to90_cents, ${dueBetween(undefined, 91)} as days_over90_cents,
      ${clampSumToSafeInteger(sql`sum(balance_cents)`)} as open_cents
    from open_charge where organization_id = ${db.organizationId} and ${within(propertyId)}`);
  return row!;
}

const trustBank = [UNDEPOSITED_FUNDS, ...chart.filter(({ isBank }) => isBank).map(({ code }) => code)];
const trustLiability = chart.filter(({ isTrustLiability }) => isTrustLiability).map(({ code }) => code);

async function balancesOn(db: OrgDb, asOf: string, propertyId: string | undefined): Promise<Balances> {
  const { rows } = await getTrialBalance(db, { asOf, basis: "accrual", propertyId });
  const debits = (...codes: readonly string[]) =>
    rows.reduce((sum, { accountCode, closingCents }) => (codes.includes(accountCode) ? sum + BigInt(closingCents) : sum), 0n);
  return {
    trustBankCents: clampToSafeInteger(debits(...trustBank)),
    trustLiabilityCents: clampToSafeInteger(-debits(...trustLiability)),
    trustVarianceCents: clampToSafeInteger(debits(...trustBank, ...trustLiability)),
    ownerPayableCents: clampToSafeInteger(-debits(OWNER_PAYABLE)),
    vendorPayableCents: clampToSafeInteger(-debits(ACCOUNTS_PAYABLE)),
  };
}
