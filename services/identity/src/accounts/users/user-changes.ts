/** What every change of a user ends with. */
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

/** A user on the wire, deleted or not; 404 when there is none. */
export async function readUser(db: StatementRunner, id: string): Promise<UserView> {
  const row = await findUser(db, id);
  if (!row) throw notFound("User");
  return userView(row);
}

/** Writes into the audit log what differs from before, announces it, and answers how the user stands; where nothing differs, nothing happened. What else is known goes into the entry too. */
export async function recordUserChange(tx: OrgTx, action: string, before: UserView, besides: object = {}): Promise<UserView> {
  const after = await readUser(tx, before.id);
  const differs = difference(before, after);
  if (differs) {
    recordAudit(tx, { action, entityType: "user", entityId: after.id, before: differs.before, after: { ...differs.after, ...besides } });
    await publish(tx, "user.updated", { entityId: after.id, data: { role: after.role, isActive: after.isActive } });
  }
  return after;
}
