/** Writing the audit log: an entry commits with the change that it tells of, or not at all. */
import { now } from "@freehold/kit/clock";
import type { OrgTx } from "@freehold/kit/db";
import { isDeepStrictEqual } from "node:util";
import { AuditEntry } from "./audit-entry.entity.ts";

interface Change {
  /** What happened, as `<entity>.<past tense>`. */
  action: string;
  entityType: "organization" | "user" | "invite" | "session" | "service_key";
  entityId: string;
  /** Only what callers may read anyway: never a password, a token, or a digest of one. */
  before?: object;
  after?: object;
}

/** Writes who did what from where, as the request says. */
export function audit(tx: OrgTx, { action, entityType, entityId, before, after }: Change): void {
  const { scope, requestId, db } = tx;
  tx.create(AuditEntry, {
    occurredAt: now(),
    actorUserId: scope.userId,
    action,
    entityType,
    entityId,
    before: before ?? null,
    after: after ?? null,
    requestId,
    ip: db.request.clientAddress ?? null,
  });
}

/** The members in which two views of one thing differ, as they were and as they are; nothing when they are alike. */
export function difference<V extends object>(before: V, after: V): { before: Partial<V>; after: Partial<V> } | undefined {
  const names = (Object.keys(after) as (keyof V)[]).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const only = (view: V) => Object.fromEntries(names.map((name) => [name, view[name]])) as Partial<V>;
  return names.length > 0 ? { before: only(before), after: only(after) } : undefined;
}
