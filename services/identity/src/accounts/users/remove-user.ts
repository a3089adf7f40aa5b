import type { User as UserView } from "@freehold/contract/people/people";
import { difference } from "@freehold/kit/db/change-tracking";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { now } from "@freehold/kit/time/clock";
import { recordAudit } from "../../audit-log/audit.ts";
import { revokeInvites } from "../invites/user-invite.ts";
import { endAccess } from "./end-access.ts";
import { getUserView } from "./user-changes.ts";
import type { User } from "./user.entity.ts";

const publish = eventPublisher("identity");

/** Soft-deletes a locked user: ends the access, revokes pending invites and frees the e-mail address. */
export async function removeUser(tx: OrgTx, user: User): Promise<UserView> {
  const { id, role } = user;
  const before = await getUserView(tx, id);
  tx.assign(user, { isActive: false, deletedAt: now() });
  await endAccess(tx, user);
  await revokeInvites(tx, id);
  await tx.all(sql`delete from sign_in_address where organization_id = ${tx.organizationId} and user_id = ${id}`);
  const after = await getUserView(tx, id);
  recordAudit(tx, { action: "user.deleted", entityType: "user", entityId: id, ...difference(before, after) });
  await publish(tx, "user.deleted", { entityId: id, data: { role, accessVersion: user.accessVersion } });
  return after;
}
