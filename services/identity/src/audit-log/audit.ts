/** Writing the audit log: an entry commits with the change that it tells of, or not at all. */
import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
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
export function recordAudit(tx: OrgTx, { action, entityType, entityId, before, after }: Change): void {
  const { principal, requestId, db } = tx;
  tx.create(AuditEntry, {
    occurredAt: now(),
    actorUserId: principal.userId,
    action,
    entityType,
    entityId,
    before: before ?? null,
    after: after ?? null,
    requestId,
    ip: db.request.clientAddress ?? null,
  });
}
