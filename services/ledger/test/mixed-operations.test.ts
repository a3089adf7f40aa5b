/**
 * Operations of every kind on the same few leases at once: all are accepted or refused, none fails, and their locks are taken in
 * one order, so that PostgreSQL never has to break a deadlock. `PROOF=full` sends 10 000.
 */
import { expect, test } from "@jest/globals";
import { randomInt } from "node:crypto";
import { anOffice, type Office } from "../../../test/support/office.ts";
import { isFullProof, sized } from "../../../test/support/proof.ts";
import { aPayment, aTenancy, type Tenancy } from "../../../test/support/tenancy.ts";
import { accountIdsByCode } from "../src/journal/journal.fixtures.ts";
import { findViolations } from "./invariants.queries.ts";
import { withOwnerConnection } from "./ledger.fixtures.ts";

const OPERATIONS = sized(400, 10_000);
const CLIENTS = 24;
const LEASES = 4;

const pick = <T>(items: readonly T[]): T => items[randomInt(Math.max(items.length, 1))]!;
const aDay = () => `2026-0${1 + randomInt(9)}-${10 + randomInt(18)}`;
const noonOn = (date: string) => `${date}T16:00:00.000Z`;

/** Returns the operations, each on random records of the leases. */
function operationsOn(office: Office, tenancies: readonly Tenancy[], bankAccountId: string) {
  const listCharges = async () => (await office.call("listCharges", { query: { leaseId: pick(tenancies).leaseId, pageSize: 100 } })).charges;
  const listPayments = async () => (await office.call("listPayments", { query: { leaseId: pick(tenancies).leaseId, pageSize: 100 } })).payments;
  const aRandomCharge = async () => pick(await listCharges());
  const aRandomPayment = async () => pick(await listPayments());
  const newCharge = () => ({
    leaseId: pick(tenancies).leaseId,
    amountCents: 1 + randomInt(500),
    dueDate: aDay(),
    chargeType: pick(["rent", "fee", "deposit"] as const),
  });
  const newPayment = () => {
    const payment = { ...aPayment(pick(tenancies), 1 + randomInt(900)), receivedAt: noonOn(aDay()) };
    return randomInt(4) === 0 ? { ...payment, leaseId: undefined } : payment;
  };
  const allocationsTo = (charges: readonly { id: string }[]) =>
    [...new Set(charges.map(({ id }) => id))].map((chargeId) => ({ chargeId, amountCents: 1 + randomInt(50) }));
  return [
    () => office.attempt("createCharge", { body: newCharge() }),
    () => office.attempt("createCharges", { body: { charges: Array.from({ length: 5 }, newCharge) } as never }),
    () => office.attempt("recordPayment", { body: { ...newPayment(), autoAllocate: true } }),
    async () => {
      const charges = await listCharges();
      return office.attempt("recordPayment", { body: { ...newPayment(), allocations: allocationsTo([pick(charges), pick(charges), pick(charges)]) } });
    },
    async () => {
      const [{ id }, charges] = await Promise.all([aRandomPayment(), listCharges()]);
      return office.attempt("allocatePayment", { params: { id }, body: { allocations: allocationsTo([pick(charges), pick(charges)]) } });
    },
    async () => office.attempt("autoAllocatePayment", { params: { id: (await aRandomPayment()).id }, body: {} }),
    async () => {
      const { id, allocations } = pick((await listPayments()).filter((payment) => payment.allocations.length > 0)) ?? (await aRandomPayment());
      return office.attempt("deletePaymentAllocation", { params: { id, allocationId: allocations[0]?.id ?? id } });
    },
    async () => office.attempt("reversePayment", { params: { id: (await aRandomPayment()).id }, body: { reason: "nsf", bankFeeCents: 5 } }),
    async () =>
      office.attempt("refundPayment", {
        params: { id: (await aRandomPayment()).id },
        body: { amountCents: 1 + randomInt(50), method: "check", bankAccountId },
      }),
    async () => {
      const { id, refunds } = pick((await listPayments()).filter((payment) => payment.refunds.length > 0)) ?? (await aRandomPayment());
      return office.attempt("voidRefund", { params: { id, refundId: refunds[0]?.id ?? id }, body: { reason: "never cashed" } });
    },
    async () => {
      const payments = [await aRandomPayment(), await aRandomPayment()];
      return office.attempt("createDeposit", { body: { bankAccountId, depositedOn: "2026-10-01", paymentIds: [...new Set(payments.map(({ id }) => id))] } });
    },
    async () => {
      const { deposits } = await office.call("listDeposits", { query: { pageSize: 100 } });
      return deposits.length > 0 ? office.attempt("voidDeposit", { params: { id: pick(deposits).id }, body: { reason: "miscounted" } }) : { status: 200 };
    },
    async () => office.attempt("voidCharge", { params: { id: (await aRandomCharge()).id }, body: { reason: "a mistake" } }),
    async () => office.attempt("updateCharge", { params: { id: (await aRandomCharge()).id }, body: { dueDate: aDay() } }),
    async () => office.attempt("creditCharge", { params: { id: (await aRandomCharge()).id }, body: { amountCents: 1 + randomInt(50), reason: "waive" } }),
  ];
}

const countDeadlocks = (office: Office): Promise<number> =>
  withOwnerConnection(office, async (client) => {
    await client.query("select pg_stat_clear_snapshot()");
    const { rows } = await client.query<{ deadlocks: string }>("select deadlocks from pg_stat_database where datname = current_database()");
    return Number(rows[0]!.deadlocks);
  });

test("operations of every kind on the same leases at once neither fail nor deadlock, and violate no invariant", async () => {
  const office = await anOffice();
  await office.call("updateOrganization", { body: { policies: { autoAllocatePayments: true } } as never });
  const tenancies = await Promise.all(Array.from({ length: LEASES }, () => aTenancy(office)));
  const operations = operationsOn(office, tenancies, (await accountIdsByCode(office))["1000"]!);
  for (const { leaseId } of tenancies) await office.call("createCharge", { body: { leaseId, amountCents: 900, dueDate: "2026-01-01", chargeType: "rent" } });
  for (const tenancy of tenancies) await office.call("recordPayment", { body: aPayment(tenancy, 500) });
  const deadlocksBefore = await countDeadlocks(office);
  const statuses = new Map<number, number>();
  let started = 0;
  const client = async () => {
    while (started++ < OPERATIONS) {
      const { status } = await pick(operations)();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const deadlocks = (await countDeadlocks(office)) - deadlocksBefore;
  process.stdout.write(`operations=${OPERATIONS} clients=${CLIENTS} statuses=${JSON.stringify(Object.fromEntries(statuses))} deadlocks=${deadlocks}\n`);
  expect([...statuses.keys()].filter((status) => ![200, 400, 404, 409].includes(status))).toEqual([]);
  // Other tests on the same database have deadlocks of their own.
  if (isFullProof) expect(deadlocks).toBe(0);
  expect(await withOwnerConnection(office, findViolations)).toEqual([]);
}, 600_000);
