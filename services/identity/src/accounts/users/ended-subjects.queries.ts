import type { StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { now } from "@freehold/kit/time/clock";

/** Lets the end of a subject and the creation of its user run one after the other, since the event of the end can arrive first. */
const lockSubject = (tx: OrgTx, id: string): Promise<unknown> => tx.all(sql`select pg_advisory_xact_lock(hashtextextended(${`subject ${id}`}, 0))`);

const findEnd = (db: StatementRunner, id: string): Promise<{ mergedIntoId: string | null } | undefined> =>
  db.first(sql<{ mergedIntoId: string | null }>`select merged_into_id from ended_subject where organization_id = ${db.organizationId} and id = ${id}`);

/** Records that a subject was deleted, or merged into another one. */
export async function recordEndedSubject(tx: OrgTx, id: string, mergedIntoId: string | null): Promise<void> {
  await lockSubject(tx, id);
  await tx.all(sql`insert into ended_subject (organization_id, id, merged_into_id, ended_at)
    values (${tx.organizationId}, ${id}, ${mergedIntoId}, ${now()}) on conflict do nothing`);
}

/** Returns the subject itself or the one that it was merged into, undefined when that was deleted. It cannot end before the commit. */
export async function lockCurrentSubject(tx: OrgTx, id: string): Promise<string | undefined> {
  for (let current = id; ;) {
    await lockSubject(tx, current);
    const end = await findEnd(tx, current);
    if (!end) return current;
    if (end.mergedIntoId === null) return undefined;
    current = end.mergedIntoId;
  }
}

/** Tells whether a subject, or the one that it was merged into, was deleted. */
export async function isSubjectDeleted(db: StatementRunner, id: string): Promise<boolean> {
  for (let end = await findEnd(db, id); end; end = await findEnd(db, end.mergedIntoId)) if (end.mergedIntoId === null) return true;
  return false;
}
