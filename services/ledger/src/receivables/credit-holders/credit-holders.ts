/** Leases that hold the credit of payments, and the journal entries that move credit to them. */
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { Chart } from "../../chart/categories.ts";
import { PREPAID_RENT } from "../../chart/chart.ts";
import { lockOpenDate, postEntries } from "../../journal/posting.ts";
import type { Payment } from "../payments/payment.entity.ts";
import { payerDimensions } from "../payments/settlement.rules.ts";
import { FIRST_DAY, transferPart, transfersToHolders, type CreditHolder, type CreditMove, type TransferPart } from "./credit-holder.rules.ts";
import { transferEntries } from "./transfer-entries.ts";

type HeldPayment = Pick<Payment, "id" | "leaseId" | "creditLeaseId">;

/** Returns the leases that hold the credit of a payment, in the order of the days from which they hold it. */
export const readCreditHolders = async (tx: OrgTx, payment: HeldPayment): Promise<CreditHolder[]> =>
  (await readHoldersByPayment(tx, [payment])).get(payment.id)!;

/** Returns the leases that hold the credit of each payment, in the order of the days from which they hold it. */
async function readHoldersByPayment(tx: OrgTx, payments: readonly HeldPayment[]): Promise<Map<string, CreditHolder[]>> {
  const holders = new Map(payments.map(({ id, leaseId = null }): [string, CreditHolder[]] => [id, [{ leaseId, since: FIRST_DAY }]]));
  const ids = payments.filter(({ leaseId, creditLeaseId }) => leaseId && creditLeaseId).map(({ id }) => id);
  if (ids.length === 0) return holders;
  // A renewal takes over when it becomes active, and an active lease is never cancelled.
  const renewals = await tx.all(sql<CreditHolder & { paymentId: string }>`select p.id as payment_id, renewal.id as lease_id, renewal.start_date as since
    from payment p join lease_copy own on own.organization_id = p.organization_id and own.id = p.lease_id
      join lease_copy holder on holder.organization_id = p.organization_id and holder.id = p.credit_lease_id
      join lease_copy renewal on renewal.organization_id = own.organization_id and renewal.tenancy_id = own.tenancy_id
        and renewal.start_date > own.start_date and renewal.start_date <= holder.start_date
        and (renewal.id = holder.id or renewal.status not in ('draft', 'pending', 'cancelled'))
    where p.organization_id = ${tx.organizationId} and p.id = any(${ids}::uuid[]) order by renewal.start_date`);
  for (const { paymentId, ...holder } of renewals) holders.get(paymentId)!.push(holder);
  return holders;
}

/** Returns the transfers of the credit of locked payments to the lease that holds it on each day. */
export async function creditTransfers(tx: OrgTx, chart: Chart, payments: readonly Payment[]): Promise<TransferPart[]> {
  const takenOver = payments.filter(({ creditLeaseId }) => creditLeaseId);
  if (takenOver.length === 0) return [];
  const firstOpenDay = await lockOpenDate(tx, FIRST_DAY);
  const movesByPayment = Map.groupBy(await findMoves(tx, chart, takenOver), ({ paymentId }) => paymentId);
  const holders = await readHoldersByPayment(tx, takenOver);
  return takenOver.flatMap((payment) =>
    transfersToHolders(holders.get(payment.id)!, movesByPayment.get(payment.id) ?? [], firstOpenDay).map((transfer) =>
      transferPart(payerDimensions(payment), transfer, chart),
    ),
  );
}

/** Returns the changes of prepaid rent by the entries of payments. */
const findMoves = (tx: OrgTx, chart: Chart, payments: readonly Payment[]): Promise<(CreditMove & { paymentId: string })[]> =>
  tx.all(sql<CreditMove & { paymentId: string }>`
    select e.source_id as payment_id, l.lease_id, l.property_id, e.entry_date as moved_on, sum(l.credit_cents - l.debit_cents)::bigint as cents
    from journal_entry e join journal_line l on l.organization_id = e.organization_id and l.entry_id = e.id
    where e.organization_id = ${tx.organizationId} and e.source_type = 'payment' and e.source_id = any(${payments.map(({ id }) => id)}::uuid[])
      and l.account_id = ${chart.accountId(PREPAID_RENT)} group by 1, 2, 3, 4 having sum(l.debit_cents) <> sum(l.credit_cents) order by 4, 1, 2, 3`);

/** Posts the entries of transfers. */
export const postTransferParts = (tx: OrgTx, timezone: string, parts: readonly TransferPart[]): Promise<void> =>
  postEntries(tx, timezone, transferEntries(parts, timezone));

/** Moves credit that entries of a locked payment left at another lease to the lease that holds it on each day. */
export const transferCreditToHolders = async (tx: OrgTx, timezone: string, chart: Chart, payment: Payment): Promise<void> =>
  postTransferParts(tx, timezone, await creditTransfers(tx, chart, [payment]));
