/** Payments: read and list. */
import type { ReceivedMoney } from "./payment.rules.ts";
import type { QueryOf } from "@freehold/contract/operation";
import type { Payment as View, payments } from "@freehold/contract/ledger/payments";
import { now } from "@freehold/kit/time/clock";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { invalid, notFound } from "@freehold/kit/errors";
import { listConditions, listPage } from "@freehold/kit/db/list";
import { paymentContains } from "../../reporting/search/search-candidates.ts";
import { sql } from "@freehold/kit/db/statement";
import { paymentColumns, paymentTables, paymentView, type PaymentRow } from "./payment.view.ts";
import { onLedgerDays } from "../../settings/ledger-settings.ts";

type Operations = typeof payments.operations;

/** Returns a payment. Throws 404 for an unknown id. */
export async function getPayment(db: StatementRunner, id: string): Promise<View> {
  const row = await db.first(sql<PaymentRow>`select ${paymentColumns} from ${paymentTables} where p.organization_id = ${db.organizationId} and p.id = ${id}`);
  if (!row) throw notFound("Payment");
  return paymentView(row);
}

/** Returns a page of payments. The dates of the filters are days in the organization's time zone, the last day included. */
export async function listPayments(db: OrgDb, query: QueryOf<Operations["listPayments"]>) {
  const {
    search,
    tenantId,
    leaseId,
    propertyId,
    paymentMethod,
    status,
    depositId,
    undepositedOnly,
    unallocatedOnly,
    receivedAfter,
    receivedBefore,
    createdAfter,
    createdBefore,
  } = query;
  const { rows, paging } = await listPage<PaymentRow>(db, query, {
    table: "p",
    select: paymentColumns,
    from: paymentTables,
    totalName: "payment",
    sorts: {
      receivedAt: sql`p.received_at`,
      amountCents: sql`p.amount_cents`,
      tenantName: sql`t.full_name`,
      status: sql`p.status`,
      createdAt: sql`p.created_at`,
    },
    where: [
      ...listConditions(db, "p", query, false),
      search !== undefined && paymentContains(db, search),
      tenantId !== undefined && sql`p.tenant_id = ${tenantId}`,
      leaseId !== undefined && sql`p.lease_id = ${leaseId}`,
      // The property of a payment is the property of its lease.
      propertyId !== undefined &&
        sql`p.lease_id = any(array(select id from lease_copy where organization_id = ${db.organizationId} and property_id = ${propertyId}))`,
      paymentMethod && sql`p.payment_method = any(${paymentMethod})`,
      status && sql`p.status = any(${status})`,
      depositId !== undefined && sql`p.bank_deposit_id = ${depositId}`,
      undepositedOnly && sql`(p.bank_deposit_id is null and p.status in ('received', 'refunded'))`,
      unallocatedOnly && sql`p.unallocated_cents > 0`,
      ...onLedgerDays(db, sql`p.received_at`, receivedAfter, receivedBefore),
      ...onLedgerDays(db, sql`p.created_at`, createdAfter, createdBefore),
    ],
  });
  return { payments: rows.map(paymentView), ...paging };
}

/**
 * Returns the given time of a change or, without one, the later of now and `previous`, such as the receipt of the payment. Throws a 400
 * for a time before `previous`; `label` names `previous` in the message.
 */
export function resolveTimeNotBefore(previous: Date | string, time: string | undefined, path: string, label: string): Date {
  const earliest = new Date(previous);
  if (time === undefined) return earliest > now() ? earliest : now();
  if (new Date(time) < earliest) throw invalid([{ path, code: "before_start", message: `${path} cannot be before ${label}.` }]);
  return new Date(time);
}

/** Days of a payment. Later changes of the organization's time zone do not affect them. */
export interface PaymentDays {
  /** Day of the receipt. */
  receivedOn: string;
  /** Date of the entry: `receivedOn` or, when that day was in a closed period, the first open day. */
  postedOn: string;
}

/** Returns the credit of a payment, as received on its day. */
export const readCredit = async (db: StatementRunner, { id, unallocatedCents }: { id: string; unallocatedCents: number }): Promise<ReceivedMoney> => ({
  amountCents: unallocatedCents,
  receivedOn: (await readPaymentDays(db, id)).receivedOn,
});

/** Returns the days of a payment. */
export async function readPaymentDays(db: StatementRunner, id: string): Promise<PaymentDays> {
  const row = await db.first(sql<PaymentDays>`select coalesce(e.moved_from, e.entry_date) as received_on, e.entry_date as posted_on from payment p
    join journal_entry e on e.organization_id = p.organization_id and e.id = p.entry_id where p.organization_id = ${db.organizationId} and p.id = ${id}`);
  return row!;
}
