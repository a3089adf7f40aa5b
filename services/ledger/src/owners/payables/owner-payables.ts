/** Payouts to owners: read, list, draft, lower, approve and void. */
import type { OwnerPayable as View, ownerPayables } from "@freehold/contract/trust/owner-payables";
import type { BodyOf, QueryOf } from "@freehold/contract/operation";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, invalid, notFound } from "@freehold/kit/errors";
import { withVersion } from "@freehold/kit/http/etag";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import type { Clients } from "../../clients.ts";
import { newSortedIds } from "../../ids.ts";
import { lockBankAccounts } from "../../trust/bank-accounts/bank-account-references.ts";
import { OwnerPayable } from "./owner-payable.entity.ts";
import { ownerPayableStateMachine } from "./payout.rules.ts";
import { calculatePayouts, findPayees, findPayingAccount, type PayoutRequest } from "./preview-owner-payables.ts";

type Operations = typeof ownerPayables.operations;
type Row = View & { version: number };
const publish = eventPublisher("ledger");

type PayableEvent = "owner_payable.drafted" | "owner_payable.updated" | "owner_payable.approved" | "owner_payable.paid" | "owner_payable.voided";

/** Publishes an event about a payout, to its owner as well once it was paid. */
export const publishPayableEvent = (
  tx: OrgTx,
  type: PayableEvent,
  { id, ownerId, propertyId, entryId }: Pick<OwnerPayable, "id" | "ownerId" | "propertyId" | "entryId">,
): Promise<void> => publish(tx, type, { entityId: id, data: { ownerId, propertyId }, audience: { ownerIds: entryId ? [ownerId] : [] } });

const columns = sql`p.id, p.organization_id, p.owner_id, p.property_id, p.bank_account_id, p.period_start, p.period_end, p.gross_cents, p.amount_cents, p.calculation,
  p.status, p.method, p.reference_number, p.reduction_reason, p.paid_at, p.entry_id as journal_entry_id,
  (select s.id from journal_entry e join owner_statement s on s.organization_id = e.organization_id and s.owner_id = p.owner_id
      and e.entry_date between s.period_start and s.period_end and s.created_at >= e.created_at
    where e.organization_id = p.organization_id and e.id = p.entry_id order by s.created_at desc, s.id desc limit 1) as statement_id, p.created_at, p.updated_at, p.voided_at, p.void_reason, p.version`;
const view = ({ version, ...row }: Row): View => withVersion(row, version);

/** Returns payouts in the order of the ids. */
export async function findOwnerPayables(db: StatementRunner, ids: readonly string[]): Promise<View[]> {
  const rows = await db.all(sql<Row>`select ${columns} from owner_payable p where p.organization_id = ${db.organizationId} and p.id = any(${[...ids]}::uuid[])
    order by array_position(${[...ids]}::uuid[], p.id)`);
  return rows.map(view);
}

/** Returns a payout. Throws 404 for an unknown id. */
export async function getOwnerPayable(db: StatementRunner, id: string): Promise<View> {
  const [payable] = await findOwnerPayables(db, [id]);
  if (!payable) throw notFound("Owner payout");
  return payable;
}

/** Returns a page of payouts. */
export async function listOwnerPayables(db: OrgDb, query: QueryOf<Operations["listOwnerPayables"]>) {
  const { ownerId, propertyId, status, periodAfter, periodBefore } = query;
  const { rows, paging } = await listPage<Row>(db, query, {
    table: "p",
    select: columns,
    from: sql`owner_payable p`,
    sorts: { periodEnd: sql`p.period_end`, amountCents: sql`p.amount_cents`, createdAt: sql`p.created_at` },
    where: [
      ...listConditions(db, "p", query, false),
      ownerId !== undefined && sql`p.owner_id = ${ownerId}`,
      propertyId !== undefined && sql`p.property_id = ${propertyId}`,
      status && sql`p.status = any(${status})`,
      periodAfter !== undefined && sql`p.period_end >= ${periodAfter}`,
      periodBefore !== undefined && sql`p.period_end <= ${periodBefore}`,
    ],
  });
  return { ownerPayables: rows.map(view), ...paging };
}

/** Drafts the payouts of a request. Runs follow each other, so that none drafts what another one has drafted. */
export async function runOwnerPayables(db: OrgDb, clients: Clients, request: PayoutRequest): Promise<{ ownerPayables: View[] }> {
  const payees = await findPayees(db, clients, request);
  return transaction(db, async (tx) => {
    const account = await findPayingAccount(tx, request.bankAccountId);
    // A run from another account promises money of the same ledgers.
    await tx.all(sql`select pg_advisory_xact_lock(hashtextextended('owner payouts ' || ${tx.organizationId}, 0))`);
    await lockBankAccounts(tx, [account.id]);
    const { lines } = await calculatePayouts(tx, payees, request, account);
    const ids = newSortedIds(lines.length);
    const unset = { referenceNumber: null, reductionReason: null, paidAt: null, entryId: null, voidedAt: null, voidReason: null };
    for (const [index, line] of lines.entries()) tx.create(OwnerPayable, { id: ids[index]!, ...line, status: "draft", ...unset });
    await tx.flush();
    for (const [index, { ownerId, propertyId }] of lines.entries())
      await publishPayableEvent(tx, "owner_payable.drafted", { id: ids[index]!, ownerId, propertyId, entryId: null });
    return { ownerPayables: await findOwnerPayables(tx, ids) };
  });
}

/**
 * Lowers a draft or changes its method, or corrects the number of a payout that was paid. Throws 404 for an unknown one, a 400 for a higher
 * amount, and a 409 for a change that the status of the payout does not permit.
 */
export const updateOwnerPayable = (
  db: OrgDb,
  id: string,
  { amountCents, reason, method, referenceNumber }: BodyOf<Operations["updateOwnerPayable"]>,
): Promise<{ ownerPayable: View }> =>
  transaction(db, async (tx) => {
    const payable = await tx.getForUpdate(OwnerPayable, id, "Owner payout");
    const isNumberOnly = referenceNumber !== undefined && [amountCents, reason, method].every((member) => member === undefined);
    if (!isNumberOnly && payable.status !== "draft")
      throw conflict(`The payout is ${payable.status}. Only drafts can be changed. Void it and draft a new one instead.`, "invalid_transition");
    if (referenceNumber !== undefined && !payable.entryId)
      throw conflict("The payout was not paid, so it has no number. Set referenceNumber when you pay it.", "invalid_transition");
    if (amountCents !== undefined && amountCents > payable.amountCents) {
      const message = `A payout can only be lowered, and this one is ${payable.amountCents} cents. Lower amountCents.`;
      throw invalid([{ path: "amountCents", code: "sum_exceeded", message }]);
    }
    tx.assign(payable, omitUndefined({ amountCents, reductionReason: amountCents === undefined ? undefined : reason, method, referenceNumber }));
    await publishPayableEvent(tx, "owner_payable.updated", payable);
    return { ownerPayable: await getOwnerPayable(tx, id) };
  });

/** Approves a draft. Throws 404 for an unknown one, and a 409 unless it is a draft. */
export const approveOwnerPayable = (db: OrgDb, id: string): Promise<{ ownerPayable: View }> =>
  transaction(db, async (tx) => {
    const payable = await tx.getForUpdate(OwnerPayable, id, "Owner payout");
    tx.assign(payable, { status: ownerPayableStateMachine.transition(payable.status, "approved") });
    await publishPayableEvent(tx, "owner_payable.approved", payable);
    return { ownerPayable: await getOwnerPayable(tx, id) };
  });
