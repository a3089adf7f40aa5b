/**
 * The hot path: two round trips. The first locks the charges and reads what the rules need; the second writes
 * everything and commits, so that no lock is held while anybody thinks.
 */
import type { BodyOf } from "@freehold/contract/operation";
import type { Payment as View, payments } from "@freehold/contract/payments";
import { now } from "@freehold/kit/time/clock";
import { isUniqueViolation, translateDatabaseError } from "@freehold/kit/db/database-error";
import { pipeline, type Pipeline } from "@freehold/kit/db/pipeline";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { unavailable, unknownReference, invalid } from "@freehold/kit/errors";
import { fingerprint, keyReused, IdempotentReplay } from "@freehold/kit/db/idempotency";
import { insertEvents } from "@freehold/kit/db/outbox";
import { rulesOf } from "../../settings/ledger-settings.ts";
import { chartOf, type Chart } from "../../chart/categories.ts";
import { UNDEPOSITED_FUNDS } from "../../chart/chart.ts";
import type { Clients } from "../../clients.ts";
import { copyLeases, copyTenants } from "../../projections/copies.ts";
import { newIds } from "../../ids.ts";
import { debit } from "../../journal/journal.rules.ts";
import { posting } from "../../journal/posting.ts";
import { applyToCharges, earlierPayment, insertPayment, lockCharges, lockOpenCharges, payerFacts, type PayerFacts } from "./payment.queries.ts";
import { allocateOldestFirst, applyAllocations, prepaidLine, settlementLines, unallocated, type Application } from "./payment.rules.ts";
import { paymentView, type PaymentRow } from "./payment.view.ts";

type Body = BodyOf<typeof payments.operations.recordPayment>;
type Applied = Application & { id: string; charge: Application["charge"] & { name: string } };

/** Thrown inside the pipeline when the ledger has not heard of the tenant or the lease yet. */
class Unheard extends Error {}

/** Records money received and applies it to charges. The same request with the same key is recorded once, for ever. */
export async function recordPayment(db: OrgDb, clients: Clients, body: Body): Promise<{ payment: View }> {
  const { idempotencyKey: _, ...content } = body;
  const requestHash = fingerprint({ ...content, receivedAt: new Date(body.receivedAt).toISOString() });
  const chart = await chartOf(db);
  const order = body.autoAllocate ? (await rulesOf(db)).policies.allocationOrder : [];
  for (let attempt = 1; ; attempt++) {
    try {
      return await pipeline(db, (tx) => record(tx, body, requestHash, chart, order));
    } catch (error) {
      const isLastTry = attempt === 3;
      if (error instanceof Unheard && !isLastTry) await learn(db, clients, body, attempt);
      // Two first requests with one key raced and the other one won: the next try finds it and replays it.
      else if (isUniqueViolation(error, "payment_idempotency_key_once") && !isLastTry) continue;
      else if ((error as { code?: string }).code === "55P03") throw unavailable(error, "idempotency_in_progress");
      else throw translateDatabaseError(error, db.database.constraints);
    }
  }
}

/** Asks portfolio once about who pays for what; what it does not know either is the caller's mistake. */
async function learn(db: OrgDb, { portfolio }: Clients, { tenantId, leaseId }: Body, attempt: number): Promise<void> {
  if (attempt > 1) {
    const facts = await db.first(payerFacts(db, tenantId, leaseId ?? null));
    throw facts ? unknownReference("leaseId", "lease") : unknownReference("tenantId", "tenant");
  }
  await Promise.all([copyTenants(db, portfolio, [tenantId]), leaseId ? copyLeases(db, portfolio, [leaseId]) : undefined]);
}

async function record(tx: Pipeline, body: Body, requestHash: string, chart: Chart, order: readonly string[]): Promise<{ payment: View }> {
  const leaseId = body.leaseId ?? null;
  const [charges, [earlier], [facts]] = await tx.send(
    body.autoAllocate
      ? lockOpenCharges(tx, leaseId, body.tenantId)
      : lockCharges(
          tx,
          body.allocations.map(({ chargeId }) => chargeId),
        ),
    earlierPayment(tx, body.idempotencyKey),
    payerFacts(tx, body.tenantId, leaseId),
  );
  if (earlier && earlier.requestHash !== requestHash) throw keyReused();
  if (earlier) throw new IdempotentReplay(earlier.answer);
  if (facts?.mergedIntoId) throw mergedTenant(facts.mergedIntoId);
  if (!facts || (leaseId && !facts.leaseId)) throw new Unheard();
  if (leaseId && !facts.isPayer)
    throw invalid([{ path: "tenantId", code: "mismatch", message: "This tenant is not on the lease. Name a tenant of the lease, or leave leaseId out." }]);

  const allocations = body.autoAllocate ? allocateOldestFirst(charges, body.amountCents, order) : body.allocations;
  const rest = unallocated(body.amountCents, allocations);
  const ids = newIds(allocations.length);
  const applied = applyAllocations(allocations, charges, { leaseId, tenantId: body.tenantId }).map((application, index) => ({
    ...application,
    id: ids[index]!,
  })) as Applied[];
  const row = paymentRow(tx, body, facts, applied, rest);
  const answer = { payment: paymentView(row) };
  const subject = { propertyId: facts.propertyId, unitId: facts.unitId, leaseId, tenantId: body.tenantId, description: "Payment" };
  const entryId = newId();
  await tx.commit(
    ...posting(tx, tx.principal.timezone, [
      {
        id: entryId,
        memo: `Payment from ${facts.tenantName}`.slice(0, 500),
        occurredAt: new Date(body.receivedAt),
        source: "payment",
        lines: [
          debit(chart.idOf(UNDEPOSITED_FUNDS), body.amountCents, subject),
          ...settlementLines(applied, chart, subject),
          ...prepaidLine(rest, chart, subject),
        ],
      },
    ]),
    insertPayment(tx, { ...row, propertyId: facts.propertyId, unitId: facts.unitId, requestHash, answer: JSON.stringify(answer), entryId }),
    ...(applied.length > 0 ? applyToCharges(tx, row.id, entryId, row.createdAt, applied) : []),
    insertEvents(tx, "payment.received", {
      entityId: row.id,
      data: { tenantId: body.tenantId, leaseId, receivedAt: row.receivedAt },
      audience: { tenantIds: [body.tenantId] },
    }),
  );
  return answer;
}

const mergedTenant = (intoId: string) =>
  invalid([{ path: "tenantId", code: "not_found", message: `This tenant was merged into the tenant ${intoId}. Name that one in tenantId.` }]);

/** The payment as it will stand: the answer is made before the write, since it is written with it. */
function paymentRow(
  tx: Pipeline,
  body: Body,
  { leaseId: _l, isPayer: _p, mergedIntoId: _m, ...facts }: PayerFacts,
  applied: readonly Applied[],
  rest: number,
): PaymentRow {
  const at = now().toISOString();
  return {
    id: newId(),
    organizationId: tx.organizationId,
    tenantId: body.tenantId,
    leaseId: body.leaseId ?? null,
    amountCents: body.amountCents,
    unallocatedCents: rest as View["unallocatedCents"],
    checkNumber: body.checkNumber ?? null,
    idempotencyKey: body.idempotencyKey,
    paymentMethod: body.paymentMethod,
    receivedAt: new Date(body.receivedAt).toISOString(),
    status: "received",
    createdAt: at,
    updatedAt: at,
    version: 1,
    ...facts,
    allocations: applied.map(({ id, charge, amountCents, settled }) => ({
      id,
      chargeId: charge.id,
      amountCents: amountCents as View["amountCents"],
      charge: {
        id: charge.id,
        name: charge.name,
        chargeType: charge.chargeType,
        status: settled.status,
        amountCents: charge.amountCents,
        balanceCents: settled.balanceCents,
        dueDate: charge.dueDate,
      },
    })) as PaymentRow["allocations"],
  };
}
