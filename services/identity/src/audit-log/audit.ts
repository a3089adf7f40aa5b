/** Audit log entries of identity's own changes, in the same transaction as the change. */
import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { AuditEntry } from "./audit-entry.entity.ts";

interface Change {
  /** Action as `<entity>.<past tense>`. */
  action: string;
  entityType: "organization" | "user" | "invite" | "session" | "service_key";
  entityId: string;
  /** Values before the change. Must not contain passwords, tokens or their digests. */
  before?: object;
  /** Values after the change, with the same restriction. */
  after?: object;
}

/** Inserts an audit entry with the actor, request id and client address of the transaction's request. */
export function recordAudit(tx: OrgTx, { action, entityType, entityId, before, after }: Change): void {
  const { principal, requestId, clientAddress } = tx;
  tx.create(AuditEntry, {
    occurredAt: now(),
    actorUserId: principal.userId,
    action,
    entityType,
    entityId,
    before: before ?? null,
    after: after ?? null,
    requestId,
    ip: clientAddress ?? null,
  });
}
