/** Agreements on management fees: create, read, list, change and delete. */
import type { ManagementFeeAgreement as View, managementFees } from "@freehold/contract/payables/management-fees";
import type { BodyOf, QueryOf } from "@freehold/contract/operation";
import { columnsOf } from "@freehold/kit/db/entity";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, notFound } from "@freehold/kit/errors";
import { withVersion } from "@freehold/kit/http/etag";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { now } from "@freehold/kit/time/clock";
import { getChart, requireExpenseAccount } from "../../../chart/categories.ts";
import { MANAGEMENT_FEES } from "../../../chart/chart.ts";
import type { Clients } from "../../../clients.ts";
import { requireProperty } from "../../../require-property.ts";
import { lockFeesOfProperties } from "../lock-fees.ts";
import { ManagementFeeAgreement } from "./agreement.entity.ts";
import { requireCoherentTerms } from "./agreement.rules.ts";

type Operations = typeof managementFees.operations;
interface Result {
  agreement: View;
}
const publish = eventPublisher("ledger");

type Row = View & { version: number };
const columns = columnsOf(ManagementFeeAgreement, "a");
const view = ({ version, ...row }: Row): View => withVersion(row, version);

/** Returns an agreement. Throws a 404 for an unknown or deleted one; with `includeDeleted` also returns a deleted one. */
export async function getAgreement(db: StatementRunner, id: string, { includeDeleted = false } = {}): Promise<View> {
  const row = await db.first(sql<Row>`select ${columns} from management_fee_agreement a
    where a.organization_id = ${db.organizationId} and a.id = ${id} and (${includeDeleted} or a.deleted_at is null)`);
  if (!row) throw notFound("Management fee agreement");
  return view(row);
}

/** Returns the agreements of properties that apply on any day of a period, in the order of their first days. Without ids, those of all properties. */
export const findAgreements = (db: StatementRunner, propertyIds: readonly string[] | undefined, from: string, to: string): Promise<View[]> =>
  db.all(sql<View>`select ${columns} from management_fee_agreement a where a.organization_id = ${db.organizationId} and a.deleted_at is null
    and (${propertyIds === undefined} or a.property_id = any(${[...(propertyIds ?? [])]}::uuid[])) and a.effective_from <= ${to}
    and coalesce(a.effective_to, 'infinity') >= ${from}::date order by a.property_id, a.effective_from, a.id`);

/** Returns a page of agreements. */
export async function listAgreements(db: OrgDb, query: QueryOf<Operations["listManagementFeeAgreements"]>) {
  const { propertyId, feeType, effectiveOn } = query;
  const { rows, paging } = await listPage<Row>(db, query, {
    table: "a",
    select: columns,
    from: sql`management_fee_agreement a`,
    sorts: { effectiveFrom: sql`a.effective_from`, createdAt: sql`a.created_at`, updatedAt: sql`a.updated_at` },
    where: [
      ...listConditions(db, "a", query),
      propertyId !== undefined && sql`a.property_id = ${propertyId}`,
      feeType && sql`a.fee_type = any(${feeType})`,
      effectiveOn !== undefined && sql`a.effective_from <= ${effectiveOn} and coalesce(a.effective_to, 'infinity') >= ${effectiveOn}::date`,
    ],
  });
  return { agreements: rows.map(view), ...paging };
}

/** Creates an agreement. Throws a 400 for terms or references that do not fit, and a 409 when another agreement of the property applies on one of its days. */
export async function createAgreement(db: OrgDb, clients: Clients, body: BodyOf<Operations["createManagementFeeAgreement"]>): Promise<Result> {
  requireCoherentTerms(body);
  const chart = await getChart(db);
  const categoryId = body.categoryId ? requireExpenseAccount(chart, body.categoryId, "categoryId") : chart.accountId(MANAGEMENT_FEES);
  await requireProperty(db, clients, body.propertyId);
  return transaction(db, async (tx) => {
    await lockFeesOfProperties(tx, [body.propertyId]);
    await requireNoOverlap(tx, body, null);
    const { id, propertyId } = tx.create(ManagementFeeAgreement, { ...body, categoryId, deletedAt: null });
    await tx.flush();
    await publish(tx, "management_fee_agreement.created", { entityId: id, data: { propertyId } });
    return { agreement: await getAgreement(tx, id) };
  });
}

/** Changes the members of an agreement that are sent. Throws a 400 and a 409 like `createAgreement`. */
export async function updateAgreement(db: OrgDb, id: string, body: BodyOf<Operations["updateManagementFeeAgreement"]>): Promise<Result> {
  const changes = omitUndefined(body);
  const { propertyId } = await getAgreement(db, id);
  if (body.categoryId) requireExpenseAccount(await getChart(db), body.categoryId, "categoryId");
  return transaction(db, async (tx) => {
    await lockFeesOfProperties(tx, [propertyId]);
    const agreement = await lockAgreement(tx, id);
    const changed = { ...(await getAgreement(tx, id)), ...changes };
    requireCoherentTerms(changed);
    await requireNoOverlap(tx, changed, id);
    tx.assign(agreement, changes);
    await publish(tx, "management_fee_agreement.updated", { entityId: id, data: { propertyId } });
    return { agreement: await getAgreement(tx, id) };
  });
}

/** Soft-deletes an agreement. */
export async function deleteAgreement(db: OrgDb, id: string): Promise<Result> {
  const { propertyId } = await getAgreement(db, id);
  return transaction(db, async (tx) => {
    await lockFeesOfProperties(tx, [propertyId]);
    tx.assign(await lockAgreement(tx, id), { deletedAt: now() });
    await publish(tx, "management_fee_agreement.deleted", { entityId: id, data: { propertyId } });
    return { agreement: await getAgreement(tx, id, { includeDeleted: true }) };
  });
}

const lockAgreement = (tx: OrgTx, id: string): Promise<ManagementFeeAgreement> =>
  tx.getForUpdate(ManagementFeeAgreement, id, "Management fee agreement", { deletedAt: null });

type Days = Pick<View, "propertyId" | "effectiveFrom" | "effectiveTo">;

/** Throws a 409 when another agreement of the property, which is locked, applies on one of the days. */
async function requireNoOverlap(tx: OrgTx, { propertyId, effectiveFrom, effectiveTo }: Days, ownId: string | null): Promise<void> {
  const other = (await findAgreements(tx, [propertyId], effectiveFrom, effectiveTo ?? "infinity")).find(({ id }) => id !== ownId);
  if (!other) return;
  const days = other.effectiveTo ? `from ${other.effectiveFrom} to ${other.effectiveTo}` : `from ${other.effectiveFrom} on`;
  throw conflict(`Another management fee agreement of the property applies ${days}. End it before this one starts.`, "duplicate");
}
