/**
 * Runs, their reversals and payments that bounce or are allocated again, on the same properties at once: all are accepted or refused,
 * none fails, every cent in the trust account has its beneficiary, and no fee of a reversed payment is left. `PROOF=full` sends 5 000.
 */
import { expect, test } from "@jest/globals";
import { randomInt } from "node:crypto";
import { anOffice, type Office } from "../../../../../../test/support/office.ts";
import { sized } from "../../../../../../test/support/proof.ts";
import { aTenancy, type Tenancy } from "../../../../../../test/support/tenancy.ts";
import { aBankAccount, subLedgersOf } from "../../../trust/trust.fixtures.ts";
import { anAgreement, expectNoViolations, rentPayment } from "../management-fees.fixtures.ts";

const OPERATIONS = sized(150, 5_000);
const CLIENTS = 12;
const PROPERTIES = 3;

const pick = <T>(items: readonly T[]): T => items[randomInt(Math.max(items.length, 1))]!;
const aDay = (month = 1 + randomInt(3)) => `2026-0${month}-${10 + randomInt(18)}`;

/** Returns the operations, each on random records of the properties. */
function operationsOn(office: Office, tenancies: readonly Tenancy[], trust: string, business: string) {
  const payments = async () => (await office.call("listPayments", { query: { status: "received", pageSize: 100 } })).payments;
  const deposited = async () => {
    const recorded = await office.attempt("recordPayment", { body: await rentPayment(office, pick(tenancies), aDay(), 1 + randomInt(90_000)) });
    // Another payment may have been allocated to the charge.
    if (recorded.status !== 200) return recorded;
    return office.attempt("createDeposit", { body: { bankAccountId: trust, depositedOn: "2026-04-01", paymentIds: [recorded.body.payment.id] } });
  };
  const run = () => {
    const month = 1 + randomInt(3);
    return office.attempt("createManagementFeeRun", { body: { periodStart: `2026-0${month}-01`, periodEnd: `2026-0${month}-28` } });
  };
  return [
    deposited,
    deposited,
    run,
    () => office.attempt("createManagementFeeRun", { body: { periodStart: "2026-01-15", periodEnd: aDay(3), propertyIds: [pick(tenancies).propertyId] } }),
    async () => {
      const { runs } = await office.call("listManagementFeeRuns", { query: { status: "completed" } });
      return runs.length === 0 ? run() : office.attempt("reverseManagementFeeRun", { params: { id: pick(runs).id }, body: { reason: "mixed" } });
    },
    async () => {
      const payment = pick(await payments());
      return payment ? office.attempt("reversePayment", { params: { id: payment.id }, body: { reason: "nsf" } }) : deposited();
    },
    async () => {
      const payment = pick((await payments()).filter(({ allocations }) => allocations.length > 0));
      if (!payment) return deposited();
      return office.attempt("deletePaymentAllocation", { params: { id: payment.id, allocationId: payment.allocations[0]!.id } });
    },
    async () => {
      const payment = pick(await payments());
      return payment ? office.attempt("autoAllocatePayment", { params: { id: payment.id }, body: {} }) : deposited();
    },
    () =>
      office.attempt("createTransfer", {
        body: { fromBankAccountId: trust, toBankAccountId: business, amountCents: 1 + randomInt(2_000), occurredAt: new Date().toISOString() },
      }),
  ];
}

test("runs, reversals and bouncing payments at once neither fail nor leave a fee that was not earned", async () => {
  const office = await anOffice();
  const [trust, business] = [await aBankAccount(office), await aBankAccount(office, "business")];
  const tenancies = await Promise.all(Array.from({ length: PROPERTIES }, () => aTenancy(office)));
  for (const { propertyId } of tenancies) await anAgreement(office, propertyId, { minimumCents: 100 });
  const operations = operationsOn(office, tenancies, trust, business);
  const statuses = new Map<number, number>();
  let started = 0;
  const client = async () => {
    while (started++ < OPERATIONS) {
      const { status } = await pick(operations)();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  process.stdout.write(`operations=${OPERATIONS} statuses=${JSON.stringify(Object.fromEntries(statuses))}\n`);
  expect([...statuses.keys()].filter((status) => ![200, 400, 404, 409].includes(status))).toEqual([]);
  const { totals } = await subLedgersOf(office, trust);
  expect(totals[2]).toBe(0);
  await expectNoViolations(office);
}, 600_000);
