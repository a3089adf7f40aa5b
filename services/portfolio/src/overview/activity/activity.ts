import type { activity, ActivityItem } from "@freehold/contract/overview/activity";
import type { Output, QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { and, listConditions, listPage, onDays } from "@freehold/kit/db/list";
import { sql } from "@freehold/kit/db/statement";
import { activitySummary } from "./activity.rules.ts";

type Operation = (typeof activity)["operations"]["listPropertyActivity"];
type Row = Omit<ActivityItem, "summary"> & { detail: string | null };

const columns = sql`a.id, a.occurred_at, a.type, a.entity_type, a.entity_id, a.property_id, a.lease_id, a.tenant_id, a.actor_user_id, a.detail`;

const activityView = ({ detail, ...row }: Row): ActivityItem => ({ ...row, summary: activitySummary(row.type, detail) });

/** Returns a page of the activity of a property, lease or tenant, newest first. Throws 404 when it does not exist. */
export async function listActivity(db: OrgDb, subject: "property" | "lease" | "tenant", id: string, query: QueryOf<Operation>): Promise<Output<Operation>> {
  const { type, occurredAfter, occurredBefore, updatedAfter, includeDeleted } = query;
  const { timezone } = db.principal;
  const page = listPage<Row>(db, query, {
    select: columns,
    from: sql`activity a`,
    table: "a",
    where: [
      and([...listConditions(db, "a", { includeDeleted }, false), sql`a.subject_id = ${id}`]),
      updatedAfter !== undefined && sql`a.occurred_at > ${updatedAfter}::timestamptz`,
      type && sql`a.type = any(${type})`,
      ...onDays(sql`a.occurred_at`, occurredAfter, occurredBefore, timezone),
    ],
    sorts: { occurredAt: sql`a.occurred_at` },
  });
  const [{ rows, paging }] = await Promise.all([page, requireLive(db, subject, id)]);
  return { activity: rows.map(activityView), ...paging };
}

async function requireLive(db: OrgDb, subject: "property" | "lease" | "tenant", id: string): Promise<void> {
  const row = await db.first(
    sql`select 1 as one from ${sql.table(subject)} where organization_id = ${db.organizationId} and id = ${id} and deleted_at is null`,
  );
  if (!row) throw notFound(`${subject[0]!.toUpperCase()}${subject.slice(1)}`);
}

/** Returns the newest activity of the organization or of one property. */
export async function findNewestActivity(db: OrgDb, propertyId: string | undefined, limit: number): Promise<ActivityItem[]> {
  const rows = await db.all(sql<Row>`select ${columns} from activity a
    where a.organization_id = ${db.organizationId} and a.subject_id = ${propertyId ?? db.organizationId} order by a.occurred_at desc, a.id desc limit ${limit}`);
  return rows.map(activityView);
}
