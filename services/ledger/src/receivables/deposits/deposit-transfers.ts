/**
 * Journal entries that move the money of payments between undeposited funds and a bank account. Entries of payments always use
 * undeposited funds. Entries of their deposit follow on the day of the deposit or, for money that moves between properties later, on that day.
 */
import { startOfDay } from "@freehold/kit/time/clock";
import { maxDate } from "@freehold/kit/time/plain-date";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { sql } from "@freehold/kit/db/statement";
import type { Chart } from "../../chart/categories.ts";
import { UNDEPOSITED_FUNDS } from "../../chart/chart.ts";
import { credit, debit } from "../../journal/journal.rules.ts";
import { postEntries, type NewEntry } from "../../journal/posting.ts";
import type { MoneyAccount } from "../../trust/bank-accounts/bank-account-references.ts";
import type { Payment } from "../payments/payment.entity.ts";
import { dimensionsAt, payerDimensions } from "../payments/settlement.rules.ts";
import type { Deposit } from "./deposit.entity.ts";

/** Money of a payment at a property that moves to the bank on a day; negative for money that moves back. */
export interface Transfer {
  paymentId: string;
  propertyId: string | null;
  movedOn: string;
  cents: number;
}

type EntryTerms = Pick<NewEntry, "memo" | "document">;

/** Returns the undeposited money of locked payments by property, dated the given day or a later day on which an entry moves it to the property. */
export const findUndepositedMoney = (tx: OrgTx, chart: Chart, paymentIds: readonly string[], depositedOn: string): Promise<Transfer[]> =>
  findMoney(tx, chart, { type: "payment", ids: paymentIds }, paymentIds, depositedOn);

/**
 * Selects the day from which a voided deposit has no effect; null if it has no effect on any day. A deposit that is voided while its
 * month is closed stays posted until the day of the void. The deposit has the alias `d`.
 */
const voidDay = sql`(select max(r.entry_date) from journal_entry v
    join journal_entry r on r.organization_id = v.organization_id and r.reverses_id = v.id and r.entry_date > v.entry_date
  where v.organization_id = d.organization_id and v.source_type = 'deposit' and v.source_id = d.id)`;

/** Day of a payment's entry and, when its deposit was voided, day from which its money is undeposited again. */
export interface UndepositedDays {
  id: string;
  postedOn: string;
  voidedOn: string | null;
}

/** Selects the days from which the money of payments is undeposited. */
export const selectUndepositedDays = (db: StatementRunner, paymentIds: readonly string[]) => sql<UndepositedDays>`
  select p.id, e.entry_date as posted_on, (select max(${voidDay}) from bank_deposit_payment m
      join bank_deposit d on d.organization_id = m.organization_id and d.id = m.deposit_id
    where m.organization_id = p.organization_id and m.payment_id = p.id) as voided_on
  from payment p join journal_entry e on e.organization_id = p.organization_id and e.id = p.entry_id
  where p.organization_id = ${db.organizationId} and p.id = any(${[...paymentIds]}::uuid[]) order by p.id`;

/**
 * Returns the money of payments in undeposited funds by property and day, from the entries of the given documents only. The day is
 * the given one, or that of the entry when it is later. A line that names no payment belongs to the payment of its entry.
 */
const findMoney = (
  tx: OrgTx,
  chart: Chart,
  document: { type: "payment" | "deposit"; ids: readonly string[] },
  paymentIds: readonly string[],
  movedOn: string,
): Promise<Transfer[]> =>
  tx.all(sql<Transfer>`select coalesce(l.payment_id, e.source_id) as payment_id, l.property_id, greatest(e.entry_date, ${movedOn}::date) as moved_on,
      sum(l.debit_cents - l.credit_cents)::bigint as cents
    from journal_entry e join journal_line l on l.organization_id = e.organization_id and l.entry_id = e.id
    where e.organization_id = ${tx.organizationId} and e.source_type = ${document.type} and e.source_id = any(${[...document.ids]}::uuid[])
      and coalesce(l.payment_id, e.source_id) = any(${[...paymentIds]}::uuid[]) and l.account_id = ${chart.accountId(UNDEPOSITED_FUNDS)}
    group by 1, 2, 3 having sum(l.debit_cents) <> sum(l.credit_cents) order by 3, 1, 2`);

/** Posts an entry for each day of the transfers and returns the ids of the entries, by day in ascending order. */
export async function postTransfers(
  tx: OrgTx,
  timezone: string,
  chart: Chart,
  bank: MoneyAccount,
  payments: readonly Payment[],
  transfers: readonly Transfer[],
  terms: EntryTerms,
): Promise<string[]> {
  const paymentById = new Map(payments.map((payment) => [payment.id, payment]));
  const days = [...Map.groupBy(transfers, ({ movedOn }) => movedOn)].sort(([a], [b]) => (a < b ? -1 : 1));
  const entries = days.map(([movedOn, group]): NewEntry => ({
    id: newId(),
    ...terms,
    occurredAt: startOfDay(movedOn, timezone),
    entryDate: movedOn,
    source: "deposit",
    lines: group.flatMap((transfer) => transferLines(paymentById.get(transfer.paymentId)!, transfer, bank, chart)),
  }));
  await postEntries(tx, timezone, entries);
  return entries.map(({ id }) => id);
}

/** Returns the lines of a transfer, with the dimensions of the payment's money at the property. */
function transferLines(payment: Payment, transfer: Transfer, { accountId, bankAccountId }: MoneyAccount, chart: Chart) {
  const dimensions = { ...dimensionsAt(payerDimensions(payment), transfer.propertyId), description: "Deposit" };
  const [undeposited, atBank] = [chart.accountId(UNDEPOSITED_FUNDS), { ...dimensions, bankAccountId }];
  return transfer.cents > 0
    ? [debit(accountId, transfer.cents, atBank), credit(undeposited, transfer.cents, dimensions)]
    : [debit(undeposited, -transfer.cents, dimensions), credit(accountId, -transfer.cents, atBank)];
}

/**
 * Deposit of a payment. It is posted on its day or, when that was in a closed accounting period, on the first open day. `voidedOn` is the
 * day from which a voided deposit has no effect.
 */
type PostedDeposit = MoneyAccount & Pick<Deposit, "id"> & { postedOn: string; voidedOn: string | null };

/** Returns the deposits of a payment that have an effect on some day, latest first. */
const findDeposits = (tx: OrgTx, paymentId: string): Promise<PostedDeposit[]> =>
  tx.all(sql<PostedDeposit>`select d.id, d.bank_account_id as account_id, d.trust_bank_account_id as bank_account_id, e.entry_date as posted_on, ${voidDay} as voided_on
    from bank_deposit_payment m join bank_deposit d on d.organization_id = m.organization_id and d.id = m.deposit_id
      join journal_entry e on e.organization_id = d.organization_id and e.id = d.entry_id
    where m.organization_id = ${tx.organizationId} and m.payment_id = ${paymentId}
      and (d.status = 'posted' or ${voidDay} is not null) order by d.created_at desc, d.id desc`);

/**
 * Repeats at the bank the moves between properties that entries of a locked, deposited payment made in undeposited funds. Moves for a
 * voided deposit are undone on the day of the void.
 */
export async function transferAtBank(tx: OrgTx, timezone: string, chart: Chart, payment: Payment, entries: readonly NewEntry[]): Promise<void> {
  for (const deposit of await findDeposits(tx, payment.id)) await transferWithDeposit(tx, timezone, chart, payment, deposit, entries);
}

async function transferWithDeposit(
  tx: OrgTx,
  timezone: string,
  chart: Chart,
  payment: Payment,
  deposit: PostedDeposit,
  entries: readonly NewEntry[],
): Promise<void> {
  const account = chart.accountId(UNDEPOSITED_FUNDS);
  const { postedOn, voidedOn } = deposit;
  const moves = entries.flatMap(({ entryDate, lines }) => {
    const movedOn = maxDate(entryDate!, postedOn);
    if (voidedOn && movedOn >= voidedOn) return [];
    return lines
      .filter(({ accountId }) => accountId === account)
      .flatMap(({ propertyId = null, debitCents, creditCents }) => {
        const cents = debitCents - creditCents;
        return [{ movedOn, propertyId, cents }, ...(voidedOn ? [{ movedOn: voidedOn, propertyId, cents: -cents }] : [])];
      });
  });
  const groups = Map.groupBy(moves, ({ movedOn, propertyId }) => `${movedOn} ${propertyId}`);
  const transfers = [...groups.values()].map((group) => ({ ...group[0]!, paymentId: payment.id, cents: group.reduce((sum, { cents }) => sum + cents, 0) }));
  const document = { type: "deposit", id: deposit.id } as const;
  await postTransfers(
    tx,
    timezone,
    chart,
    deposit,
    [payment],
    transfers.filter(({ cents }) => cents !== 0),
    { memo: "Deposited money allocated", document },
  );
}

/** Moves the money of a returned payment from the bank to undeposited funds, on the given day or the day of the deposit when that is later. */
export async function returnFromBank(tx: OrgTx, timezone: string, chart: Chart, payment: Payment, returnedOn: string, memo: string): Promise<void> {
  if (!payment.bankDepositId) return;
  const deposit = (await findDeposits(tx, payment.id))[0]!;
  const transfers = await findMoney(tx, chart, { type: "deposit", ids: [deposit.id] }, [payment.id], returnedOn);
  await postTransfers(tx, timezone, chart, deposit, [payment], transfers, { memo, document: { type: "payment", id: payment.id } });
}
