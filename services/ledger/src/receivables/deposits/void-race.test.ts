/**
 * The void of a deposit and the reversal of one of its payments at once. The test holds the payment locked until both requests wait
 * for it, so that both have started before either commits. A control takes the money out of the bank twice.
 */
import { expect, test } from "@jest/globals";
import type pg from "pg";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aPayment, aTenancy, closingBalances, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { withLockedRow } from "../../../test/lock-waiters.fixtures.ts";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";

const [RETURNED_CENTS, GOOD_CENTS] = [300, 70];

interface Deposited {
  office: Office;
  tenancy: Tenancy;
  depositId: string;
  returnedId: string;
  goodId: string;
}

/** Deposits two payments, of which the first is to be reversed. */
async function aDeposit(): Promise<Deposited> {
  const office = await anOffice();
  const [tenancy, accounts] = [await aTenancy(office), await accountIdsByCode(office)];
  const pay = async (amountCents: number) => (await office.call("recordPayment", { body: aPayment(tenancy, amountCents) })).payment.id;
  const [returnedId, goodId] = [await pay(RETURNED_CENTS), await pay(GOOD_CENTS)];
  const body = { bankAccountId: accounts["1000"]!, depositedOn: "2026-01-07", paymentIds: [returnedId, goodId] };
  const { deposit } = await office.call("createDeposit", { body });
  return { office, tenancy, depositId: deposit.id, returnedId, goodId };
}
const requests = {
  void: ({ office, depositId }: Deposited) => office.attempt("voidDeposit", { params: { id: depositId }, body: { reason: "miscounted" } }),
  reverse: ({ office, returnedId }: Deposited) => office.attempt("reversePayment", { params: { id: returnedId }, body: { reason: "nsf" } }),
};

/** Starts the requests in an order, both of which wait for the payment. Returns their statuses in that order. */
const meet = (deposited: Deposited, order: readonly (keyof typeof requests)[]): Promise<number[]> =>
  withLockedRow(deposited.office, "payment", deposited.returnedId, async (row) => {
    const started: Promise<{ status: number }>[] = [];
    for (const name of order) {
      started.push(requests[name](deposited));
      await row.waitForWaiters(started.length);
    }
    await row.release();
    return (await Promise.all(started)).map(({ status }) => status);
  });

/** Returns the statuses of the deposit and the payment, whether each payment is in the deposit, and the money in the accounts. */
async function stateOf({ office, depositId, returnedId, goodId }: Deposited) {
  const { deposit } = await office.call("getDeposit", { params: { id: depositId } });
  const payments = await Promise.all([returnedId, goodId].map((id) => office.call("getPayment", { params: { id } })));
  const { "1000": bank = 0, "1050": undeposited = 0, "2150": credit = 0 } = await closingBalances(office);
  const [returned, good] = payments.map(({ payment }) => ({ status: payment.status, isDeposited: payment.depositId === depositId }));
  return { deposit: deposit.status, returned, good, bank, undeposited, credit };
}

test("a void that comes first leaves the money undeposited, from where the reversal takes it", async () => {
  const deposited = await aDeposit();
  expect(await meet(deposited, ["void", "reverse"])).toEqual([200, 200]);
  expect(await stateOf(deposited)).toEqual({
    deposit: "voided",
    returned: { status: "reversed", isDeposited: false },
    good: { status: "received", isDeposited: false },
    bank: 0,
    undeposited: GOOD_CENTS,
    credit: -GOOD_CENTS,
  });
  expect(await withOwnerConnection(deposited.office, findViolations)).toEqual([]);
});

test("a reversal that comes first takes the money out of the bank, and the void is refused", async () => {
  const deposited = await aDeposit();
  expect(await meet(deposited, ["reverse", "void"])).toEqual([200, 409]);
  expect(await stateOf(deposited)).toEqual({
    deposit: "posted",
    returned: { status: "reversed", isDeposited: true },
    good: { status: "received", isDeposited: true },
    bank: GOOD_CENTS,
    undeposited: 0,
    credit: -GOOD_CENTS,
  });
  expect(await withOwnerConnection(deposited.office, findViolations)).toEqual([]);
});

/** Moves the money of the reversed payment from the bank to undeposited funds once more, as a void that did not wait for the reversal would. */
const returnAgain = (client: pg.Client, { office, tenancy, returnedId }: Deposited) =>
  client.query(
    `with entry as (insert into journal_entry (organization_id, id, created_at, updated_at, memo, occurred_at, entry_date, status, source, debit_total_cents, credit_total_cents)
        values ($1, gen_random_uuid(), now(), now(), 'Deposit voided', now(), current_date, 'posted', 'deposit', $2, $2) returning id)
      insert into journal_line (organization_id, id, entry_id, account_id, entry_date, debit_cents, credit_cents, payment_id, property_id)
        select $1, gen_random_uuid(), entry.id, (select id from category where code = side.code), current_date, side.debit, side.credit, $3, $4
        from entry, (values ('1050', $2::bigint, 0), ('1000', 0, $2::bigint)) as side (code, debit, credit)`,
    [office.organizationId, RETURNED_CENTS, returnedId, tenancy.propertyId],
  );

test("control: money that is taken out of the bank twice violates the invariants", async () => {
  const deposited = await aDeposit();
  await requests.reverse(deposited);
  const violations = await withOwnerConnection(deposited.office, async (owner) => {
    await owner.query("begin");
    await returnAgain(owner, deposited);
    const found = await findViolations(owner);
    await owner.query("rollback");
    return found;
  });
  expect(violations).toEqual(
    expect.arrayContaining([expect.stringContaining("the deposited money of a payment at a property negative"), expect.stringContaining(deposited.returnedId)]),
  );
});
