/**
 * Random histories of leases with recurring rent: renewals and terminations in mid-month, late fees, payments of co-tenants, and
 * changes dated in closed periods. No model predicts whether a command is accepted; at the end each day is charged once, at the rent
 * of its lease.
 */
import { expect } from "@jest/globals";
import { addDays, daysBetween, daysInMonth, endOfMonth, maxDate, minDate, monthsBetween, startOfMonth } from "@freehold/kit/time/plain-date";
import { aPayment, aTenancy } from "../../../../test/support/tenancy.ts";
import { FIRST_DATE, DAY_AFTER_LAST_DATE, randomDate, seededRandom, type Environment, type PeriodContext } from "./command-context.ts";
import { closePeriod, reopenAll, reopenPeriod } from "./period-commands.ts";

/** Lease of a history, with the terms that it is billed by. */
interface BilledLease {
  id: string;
  rentCents: number;
  startDate: string;
  /** Last day of a fixed term, day before a renewal starts, or last day that a termination bills. */
  lastDay: string;
  isFixed: boolean;
}

interface LeaseContext extends PeriodContext {
  propertyId: string;
  tenantId: string;
  coTenantId: string;
  /** The lease and its renewals. */
  leases: BilledLease[];
}
type LeaseCommand = (context: LeaseContext) => Promise<{ status: number } | undefined>;

/** Last day of a lease that has not ended. */
const OPEN_END = "2099-12-31";
/** Tells whether a command was accepted. 503 counts: portfolio committed the change, and the ledger bills it on the change's event. */
const isAccepted = ({ status }: { status: number }): boolean => [200, 503].includes(status);
/** Returns noon of a day in the office's time zone, in daylight saving time. */
const noonOn = (date: string) => `${date}T16:00:00.000Z`;
const randomAmountCents = ({ integer }: LeaseContext["random"]) => 50_000 + integer(70_000);
const amountUpTo = ({ random }: LeaseContext, cents: number) => random.pick([cents, random.integer(Math.max(cents, 1))])!;
const randomBankAccountId = ({ random, accountIds }: LeaseContext) => accountIds[random.pick(["1000", "1010"])!]!;

const listCharges = async ({ office, leases }: LeaseContext, query: { chargeType?: "rent" } = {}) =>
  (await Promise.all(leases.map(({ id }) => office.call("listCharges", { query: { ...query, leaseId: id, pageSize: 100 } })))).flatMap((page) => page.charges);
const listPayments = async ({ office, tenantId, coTenantId }: LeaseContext) =>
  (await Promise.all([tenantId, coTenantId].map((id) => office.call("listPayments", { query: { tenantId: id, pageSize: 100 } })))).flatMap(
    (page) => page.payments,
  );

const postRent: LeaseCommand = ({ office, propertyId, random }) => office.attempt("postDueCharges", { body: { throughDate: randomDate(random), propertyId } });

const assessLateFees: LeaseCommand = ({ office, random }) => office.attempt("assessLateFees", { body: { asOf: randomDate(random) } });

const createCharge: LeaseCommand = ({ office, leases, random }) => {
  const chargeType = random.pick(["deposit", "fee"] as const)!;
  return office.attempt("createCharge", {
    body: { leaseId: random.pick(leases)!.id, amountCents: randomAmountCents(random), dueDate: randomDate(random), chargeType },
  });
};

/** Renews the latest lease from a random day, mostly in mid-month. The renewal takes over at once, since it starts in the past. */
const renewLease: LeaseCommand = async ({ office, leases, random }) => {
  const last = leases.at(-1)!;
  const terms = { startDate: randomDate(random), rentCents: randomAmountCents(random) };
  const isFixed = random.chance(0.5);
  const termType = isFixed ? ("fixed" as const) : ("month_to_month" as const);
  const renewal = await office.attempt("renewLease", { params: { id: last.id }, body: { ...terms, endDate: OPEN_END, termType } });
  if (renewal.status !== 200) return renewal;
  const { id } = renewal.body.lease;
  const activation = await office.attempt("activateLease", { params: { id }, body: {} });
  if (!isAccepted(activation)) return activation;
  last.lastDay = minDate(last.lastDay, addDays(terms.startDate, -1));
  leases.push({ id, ...terms, lastDay: OPEN_END, isFixed });
  return activation;
};

/** Moves the end of a fixed lease to a random day, earlier or later, mostly in mid-month. */
const moveEnd: LeaseCommand = async ({ office, leases, random }) => {
  const last = leases.at(-1)!;
  const endDate = random.pick([randomDate(random), randomDate(random), OPEN_END])!;
  if (!last.isFixed || endDate < last.startDate) return undefined;
  const response = await office.attempt("updateLease", { params: { id: last.id }, body: { endDate } });
  if (isAccepted(response)) last.lastDay = endDate;
  return response;
};

/** Terminates the latest lease on a random day, mostly in mid-month. The rent of that month is prorated, charged in full or not charged. */
const terminateLease: LeaseCommand = async ({ office, leases, random }) => {
  const last = leases.at(-1)!;
  const terminationDate = randomDate(random);
  if (last.lastDay !== OPEN_END || terminationDate < last.startDate) return undefined;
  const [finalRent, lastDay] = random.pick([
    ["prorate", terminationDate],
    ["full", endOfMonth(terminationDate)],
    ["none", addDays(startOfMonth(terminationDate), -1)],
  ] as const)!;
  const response = await office.attempt("terminateLease", { params: { id: last.id }, body: { terminationDate, finalRent } });
  if (isAccepted(response)) last.lastDay = lastDay;
  return response;
};

const recordPayment: LeaseCommand = ({ office, tenantId, coTenantId, leases, random }) => {
  const payer = { tenantId: random.pick([tenantId, coTenantId])!, leaseId: random.pick(leases)!.id };
  const payment = { ...aPayment(payer, random.integer(150_000)), receivedAt: noonOn(randomDate(random)), autoAllocate: random.chance(0.5) };
  return office.attempt("recordPayment", { body: random.chance(0.25) ? { ...payment, leaseId: undefined } : payment });
};

/** Records a payment of rent with a late fee, backdated to the due date of the rent, so that the ledger withdraws the fee. */
const recordBackdatedPayment: LeaseCommand = async (context) => {
  const { office, tenantId, random } = context;
  const charges = await listCharges(context);
  const chargeIdsWithLateFee = new Set(charges.flatMap(({ lateFeeForChargeId, status }) => (status === "pending" ? (lateFeeForChargeId ?? []) : [])));
  const rent = random.pick(charges.filter(({ id, balanceCents }) => chargeIdsWithLateFee.has(id) && balanceCents > 0));
  if (!rent) return undefined;
  const { id: chargeId, leaseId, balanceCents: amountCents, dueDate } = rent;
  const body = { ...aPayment({ tenantId, leaseId }, amountCents), receivedAt: noonOn(dueDate), allocations: [{ chargeId, amountCents }] };
  return office.attempt("recordPayment", { body });
};

const autoAllocatePayment: LeaseCommand = async (context) => {
  const payment = context.random.pick(await listPayments(context));
  return payment && context.office.attempt("autoAllocatePayment", { params: { id: payment.id }, body: {} });
};

const deletePaymentAllocation: LeaseCommand = async (context) => {
  const payment = context.random.pick((await listPayments(context)).filter(({ allocations }) => allocations.length > 0));
  if (!payment) return undefined;
  return context.office.attempt("deletePaymentAllocation", { params: { id: payment.id, allocationId: context.random.pick(payment.allocations)!.id } });
};

const reversePayment: LeaseCommand = async (context) => {
  const { office, random } = context;
  const payment = random.pick(await listPayments(context));
  const fees = { ...(random.chance(0.3) && { nsfFeeCents: 2_500 }), ...(random.chance(0.3) && { bankFeeCents: 1_200 }) };
  return payment && office.attempt("reversePayment", { params: { id: payment.id }, body: { reason: "nsf", reversedAt: noonOn(randomDate(random)), ...fees } });
};

const refundPayment: LeaseCommand = async (context) => {
  const payment = context.random.pick((await listPayments(context)).filter(({ unallocatedCents }) => unallocatedCents > 0));
  if (!payment) return undefined;
  const body = { amountCents: amountUpTo(context, payment.unallocatedCents), method: "check" as const, bankAccountId: randomBankAccountId(context) };
  return context.office.attempt("refundPayment", { params: { id: payment.id }, body });
};

const voidRefund: LeaseCommand = async (context) => {
  const payment = context.random.pick((await listPayments(context)).filter(({ refunds }) => refunds.length > 0));
  if (!payment) return undefined;
  return context.office.attempt("voidRefund", { params: { id: payment.id, refundId: payment.refunds[0]!.id }, body: { reason: "never cashed" } });
};

const createDeposit: LeaseCommand = async (context) => {
  const { office, random } = context;
  const payments = await listPayments(context);
  const paymentIds = [...new Set([random.pick(payments), random.pick(payments)].flatMap((payment) => payment?.id ?? []))];
  if (paymentIds.length === 0) return undefined;
  return office.attempt("createDeposit", { body: { bankAccountId: randomBankAccountId(context), depositedOn: randomDate(random), paymentIds } });
};

const voidDeposit: LeaseCommand = async (context) => {
  const payment = context.random.pick((await listPayments(context)).filter(({ depositId }) => depositId !== null));
  return payment && context.office.attempt("voidDeposit", { params: { id: payment.depositId! }, body: { reason: "miscounted" } });
};

const creditCharge: LeaseCommand = async (context) => {
  const charge = context.random.pick((await listCharges(context)).filter(({ balanceCents }) => balanceCents > 0));
  if (!charge) return undefined;
  const body = {
    amountCents: amountUpTo(context, charge.balanceCents),
    reason: "waive" as const,
    creditedOn: maxDate(charge.dueDate, randomDate(context.random)),
  };
  return context.office.attempt("creditCharge", { params: { id: charge.id }, body });
};

/** Voids a charge other than rent, because `findWrongRent` expects rent for every day. */
const voidCharge: LeaseCommand = async (context) => {
  const charge = context.random.pick((await listCharges(context)).filter(({ chargeType }) => chargeType !== "rent"));
  return charge && context.office.attempt("voidCharge", { params: { id: charge.id }, body: { reason: "a mistake" } });
};

const changePeriods: LeaseCommand = async (context) => {
  const outcome = await context.random.pick([closePeriod, reopenPeriod])!(context);
  return outcome && { status: 200 };
};

const weightedCommands: [weight: number, LeaseCommand][] = [
  [4, postRent],
  [4, assessLateFees],
  [3, createCharge],
  [5, renewLease],
  [3, moveEnd],
  [1, terminateLease],
  [8, recordPayment],
  [4, recordBackdatedPayment],
  [2, autoAllocatePayment],
  [2, deletePaymentAllocation],
  [2, reversePayment],
  [2, refundPayment],
  [1, voidRefund],
  [3, createDeposit],
  [1, voidDeposit],
  [2, creditCharge],
  [1, voidCharge],
  [2, changePeriods],
];
const commands = weightedCommands.flatMap(([weight, command]) => Array.from({ length: weight }, () => command));

/** Signs a month-to-month lease of a tenant and a co-tenant, with a late fee in most histories. */
async function signLease(environment: Environment, random: LeaseContext["random"]): Promise<LeaseContext> {
  const { office } = environment;
  const { propertyId, unitId, tenantId } = await aTenancy(office, { startDate: "2024-01-01", endDate: "2024-01-31" });
  const { tenant: coTenant } = await office.call("createTenant", { body: { fullName: "Cody Co-Tenant" } });
  const terms = { startDate: minDate(randomDate(random), addDays(FIRST_DATE, 60)), rentCents: randomAmountCents(random) };
  const lateFee = random.pick([{ lateFeeType: "flat", lateFeeAmountCents: 5_000 }, { lateFeeType: "percent", lateFeePercentBps: 333 }, {}] as const)!;
  const occupants = [{ tenantId: coTenant.id, role: "co_tenant" as const }];
  const body = { propertyId, unitId, tenantId, ...terms, ...lateFee, lateFeeGraceDays: 3, occupants, termType: "month_to_month" as const, activate: true };
  const { lease } = await office.call("createLease", { body });
  return { ...environment, random, propertyId, tenantId, coTenantId: coTenant.id, leases: [{ id: lease.id, ...terms, lastDay: OPEN_END, isFixed: false }] };
}

/** Runs random commands on a new lease, posts what is due and expects each day to be charged once, at the rent of its lease. Returns the number of accepted commands. */
export async function runLeaseHistory(environment: Environment, seed: number, length: number): Promise<number> {
  const random = seededRandom(seed);
  const context = await signLease(environment, random);
  let accepted = 0;
  for (let count = 0; count < length; count++) {
    const command = random.pick(commands)!;
    const response = await command(context);
    if (!response) continue;
    expect([command.name, [200, 400, 404, 409, 503].includes(response.status), response]).toEqual([command.name, true, response]);
    if (isAccepted(response)) accepted++;
  }
  await reopenAll(environment);
  await environment.office.call("postDueCharges", { body: { throughDate: DAY_AFTER_LAST_DATE, propertyId: context.propertyId } });
  expect(await findWrongRent(context)).toEqual([]);
  return accepted;
}

/** Returns the rent of each month of a lease through the last random date, prorated by the days on which the lease is in force. */
function expectedRent({ id, rentCents, startDate, lastDay }: BilledLease): [key: string, cents: number][] {
  const through = minDate(lastDay, addDays(DAY_AFTER_LAST_DATE, -1));
  const daysOf = (month: string) => daysBetween(maxDate(month, startDate), minDate(endOfMonth(month), lastDay)) + 1;
  const months = startDate > through ? [] : monthsBetween(startDate, through);
  return months.map((month) => [`${id} ${month.slice(0, 7)}`, Math.round((rentCents * daysOf(month)) / daysInMonth(month))]);
}

/** Returns the leases and months whose charges do not add up to the rent. Tolerates one cent of rounding for each additional charge in a month. */
async function findWrongRent(context: LeaseContext): Promise<string[]> {
  const charges = await listCharges(context, { chargeType: "rent" });
  const charged = Map.groupBy(
    charges.filter(({ status, dueDate }) => status !== "voided" && dueDate < DAY_AFTER_LAST_DATE),
    ({ leaseId, dueDate }) => `${leaseId} ${dueDate.slice(0, 7)}`,
  );
  const expected = new Map(context.leases.flatMap(expectedRent));
  return [...new Set([...charged.keys(), ...expected.keys()])].flatMap((key) => {
    const parts = charged.get(key) ?? [];
    const cents = parts.reduce((sum, { amountCents }) => sum + amountCents, 0);
    const expectedCents = expected.get(key) ?? 0;
    return Math.abs(cents - expectedCents) > Math.max(parts.length - 1, 0) ? [`${key} is charged ${cents} instead of ${expectedCents} cents`] : [];
  });
}
