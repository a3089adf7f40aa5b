/** Helpers of the tests of management fees. */
import { randomUUID } from "node:crypto";
import type { ManagementFeeAgreement, ManagementFeeRun } from "@freehold/contract/payables/management-fees";
import { expect } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import type { Tenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { subLedgersOf } from "../../trust/trust.fixtures.ts";
import { aFundedProperty, balancesOn } from "../payables.fixtures.ts";

export const january = { periodStart: "2026-01-01", periodEnd: "2026-01-31" };
export const february = { periodStart: "2026-02-01", periodEnd: "2026-02-28" };

/** Creates an agreement on 10 % of the collected rent from January 1, unless the terms say otherwise. */
export const anAgreement = async (office: Office, propertyId: string, terms: object = {}): Promise<ManagementFeeAgreement> =>
  (
    await office.call("createManagementFeeAgreement", {
      body: { propertyId, effectiveFrom: "2026-01-01", feeType: "percent_of_collected", percentBps: 1_000, ...terms },
    })
  ).agreement;

/** Charges the fees of a period, by default of January. */
export const aRun = async (office: Office, body: object = {}): Promise<ManagementFeeRun> =>
  (await office.call("createManagementFeeRun", { body: { ...january, ...body } })).run;

/** An office with an agreement on 10 % for a property whose rent was paid on January 5 and deposited to an operating account. */
export async function aManagedProperty(rentCents = 100_000, terms: object = {}) {
  const office = await anOffice();
  const property = await aFundedProperty(office, rentCents);
  const agreement = await anAgreement(office, property.propertyId, terms);
  return { office, ...property, agreement };
}

type Payer = Pick<Tenancy, "leaseId" | "tenantId">;

/** Charges rent that is due on a day, and returns the request that records its payment on that day. */
export async function rentPayment(office: Office, { leaseId, tenantId }: Payer, day: string, amountCents: number) {
  const { charge } = await office.call("createCharge", { body: { leaseId, amountCents, dueDate: day, chargeType: "rent" } });
  const receipt = { paymentMethod: "ach" as const, receivedAt: `${day}T17:00:00.000Z`, idempotencyKey: randomUUID() };
  return { tenantId, leaseId, amountCents, ...receipt, allocations: [{ chargeId: charge.id, amountCents }] };
}

/** Charges rent that is due on a day, records its payment on that day, and returns the payment. */
export const paidRent = async (office: Office, payer: Payer, day: string, amountCents: number) =>
  (await office.call("recordPayment", { body: await rentPayment(office, payer, day, amountCents) })).payment;

/** Returns the balances of the accounts on both bases and the sub-ledgers of a bank account, which a run and its reversal leave as they were. */
export const stateOf = async (office: Office, bankAccountId: string) => ({
  accrual: await balancesOn(office, "2199-12-31"),
  cash: await balancesOn(office, "2199-12-31", { basis: "cash" }),
  subLedgers: await subLedgersOf(office, bankAccountId),
});

export const expectNoViolations = async (office: Office): Promise<void> => expect(await withOwnerConnection(office, findViolations)).toEqual([]);
