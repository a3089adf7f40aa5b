/** Office of a random history of trust: two owners, three properties, one of them shared 60/40, and pooled and separate bank accounts. */
import { addDays } from "@freehold/kit/time/plain-date";
import type { Client } from "pg";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { aPayee } from "../../../src/owners/owners.fixtures.ts";
import { anAgreement } from "../../../src/payables/management-fees/management-fees.fixtures.ts";
import { aVendor } from "../../../src/payables/payables.fixtures.ts";
import { aBankAccount } from "../../../src/trust/trust.fixtures.ts";
import type { seededRandom } from "../command-context.ts";

/** First of the random days, which span 180 days of the past. */
export const FIRST_DAY = "2025-01-01";
export const DAYS = 180;
/** Day after every entry of a history, also of those that are dated today. */
export const AFTER_ALL = "2199-12-31";

/** Property of a history, with its lease, the security deposit of the lease and its owners. */
export interface HeldProperty extends Tenancy {
  depositId: string;
  ownerIds: string[];
  /** Rate of the management fee of collected rent; null for a flat fee. */
  percentBps: number | null;
}

/** Bank accounts: pooled trust money, the money of Ann alone, deposits in escrow, and the own money of the management company. */
export interface Accounts {
  pooled: string;
  separate: string;
  escrow: string;
  business: string;
}

export interface TrustOffice {
  office: Office;
  vendorId: string;
  ann: string;
  ben: string;
  properties: HeldProperty[];
  /** Property that Ann and Ben share 60/40. */
  shared: HeldProperty;
  accounts: Accounts;
}

/** Records of a history, in the order of their creation. */
export interface TrustRecords {
  charges: { id: string; property: HeldProperty; amountCents: number }[];
  payments: { id: string; receivedOn: string; amountCents: number }[];
  expenses: { id: string; propertyId: string; amountCents: number }[];
  expensePayments: string[];
  payables: string[];
  runs: string[];
  reconciliations: { id: string; bankAccountId: string }[];
}

export interface TrustContext extends TrustOffice {
  database: Client;
  random: ReturnType<typeof seededRandom>;
  records: TrustRecords;
}

export const noRecords = (): TrustRecords => ({ charges: [], payments: [], expenses: [], expensePayments: [], payables: [], runs: [], reconciliations: [] });

/** Returns noon of a day in the time zone of the office, in standard and in daylight saving time. */
export const noonOn = (day: string): string => `${day}T17:00:00.000Z`;
export const randomDay = ({ random }: Pick<TrustContext, "random">): string => addDays(FIRST_DAY, random.integer(DAYS) - 1);
export const randomAccount = ({ random, accounts }: Pick<TrustContext, "random" | "accounts">): string =>
  random.pick([accounts.pooled, accounts.pooled, accounts.separate, accounts.escrow, accounts.business])!;

/** Returns the whole amount, a part of it or a cent more. */
export const aboutCents = ({ random }: Pick<TrustContext, "random">, cents: number): number =>
  Math.max(1, random.pick([cents, cents, random.integer(Math.max(cents, 1)), cents + 1])!);

/** Signs up the office of a history. */
export async function aTrustOffice(): Promise<TrustOffice> {
  const office = await anOffice();
  const [ann, ben, vendorId] = [await aPayee(office, "Ann"), await aPayee(office, "Ben"), await aVendor(office)];
  const properties: HeldProperty[] = [];
  const terms = [
    { shares: { [ann]: 10_000 }, agreement: { feeType: "percent_of_collected", percentBps: 1_000, minimumCents: 4_000 } },
    { shares: { [ben]: 10_000 }, agreement: { feeType: "flat_per_month", percentBps: null, flatCents: 5_000 } },
    { shares: { [ann]: 6_000, [ben]: 4_000 }, agreement: { feeType: "percent_of_collected", percentBps: 833 } },
  ];
  for (const { shares, agreement } of terms) {
    const tenancy = await aTenancy(office, { startDate: FIRST_DAY });
    const body = { effectiveDate: FIRST_DAY, shares: Object.entries(shares).map(([ownerId, shareBps]) => ({ ownerId, shareBps })) };
    await office.call("replaceOwnership", { params: { id: tenancy.propertyId }, body });
    await anAgreement(office, tenancy.propertyId, { effectiveFrom: FIRST_DAY, ...agreement });
    const { securityDeposit } = await office.call("createSecurityDeposit", {
      body: { leaseId: tenancy.leaseId, requiredCents: 200_000, chargeTenant: false },
    });
    properties.push({ ...tenancy, depositId: securityDeposit.id, ownerIds: Object.keys(shares), percentBps: agreement.percentBps });
  }
  const shared = properties.at(-1)!;
  await office.call("updateProperty", { params: { id: shared.propertyId }, body: { reserveCents: 10_000 } });
  const accounts = {
    pooled: await aBankAccount(office, "operating", { name: "pooled" }),
    separate: await aSeparateAccount(office, ann),
    escrow: await aBankAccount(office, "security_deposit"),
    business: await aBankAccount(office, "business"),
  };
  return { office, vendorId, ann, ben, properties, shared, accounts };
}

async function aSeparateAccount(office: Office, ownerId: string): Promise<string> {
  const body = { name: "separate", institutionName: "First Bank", accountMask: "7788", accountType: "operating" as const, ownerId };
  return (await office.call("createBankAccount", { body })).bankAccount.id;
}
