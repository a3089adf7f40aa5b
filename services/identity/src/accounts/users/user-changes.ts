/** Audit entry and event of a user change. */
import type { User as UserView } from "@freehold/contract/people/people";
import { difference } from "@freehold/kit/db/change-tracking";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { recordAudit } from "../../audit-log/audit.ts";
import { userView } from "./user.view.ts";
import { findUser } from "./users.queries.ts";

const publish = eventPublisher("identity");

/** Returns the API representation of a user, also of a deleted one. Throws 404. */
export async function getUserView(db: StatementRunner, id: string): Promise<UserView> {
  const row = await findUser(db, id);
  if (!row) throw notFound("User");
  return userView(row);
}

/**
 * Compares the user with `before`; on a difference writes an audit entry, with `details` added, and publishes `user.updated`.
 * Returns the current user.
 */
export async function recordUserChange(tx: OrgTx, action: string, before: UserView, details: object = {}): Promise<UserView> {
  const after = await getUserView(tx, before.id);
  const diff = difference(before, after);
  if (diff) {
    recordAudit(tx, { action, entityType: "user", entityId: after.id, before: diff.before, after: { ...diff.after, ...details } });
    await publishUserUpdated(tx, after.id);
  }
  return after;
}

/** Publishes `user.updated` with the current role, state and access version of a user. */
export async function publishUserUpdated(tx: OrgTx, userId: string): Promise<void> {
  const { role, isActive, accessVersion } = (await findUser(tx, userId))!;
  await publish(tx, "user.updated", { entityId: userId, data: { role, isActive, accessVersion } });
}
