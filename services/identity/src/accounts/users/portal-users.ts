/** Portal users whose tenant, owner or vendor was merged or deleted. */
import { LockMode } from "@mikro-orm/core";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { endAccess, invalidateAccessTokens } from "./end-access.ts";
import { lockCurrentSubject, recordEndedSubject } from "./ended-subjects.queries.ts";
import { readUser, recordUserChange } from "./user-changes.ts";
import { User } from "./user.entity.ts";

const lockPortalUsers = (tx: OrgTx, subjectId: string): Promise<User[]> =>
  tx.find(User, { subjectId, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE });

/**
 * Assigns the portal users of a merged duplicate to the surviving subject, or to the one that it was merged into since. Invalidates their access
 * tokens, which name the duplicate; the sessions continue. When the survivor was deleted since, the users are deactivated. The events of the
 * later merge or deletion can arrive first.
 */
export async function relinkPortalUser(tx: OrgTx, duplicateId: string, subjectId: string): Promise<void> {
  await recordEndedSubject(tx, duplicateId, subjectId);
  const survivingId = await lockCurrentSubject(tx, subjectId);
  const isDeleted = survivingId === undefined;
  for (const user of await lockPortalUsers(tx, duplicateId)) {
    const before = await readUser(tx, user.id);
    tx.assign(user, { subjectId: survivingId ?? subjectId, ...(isDeleted && { isActive: false }) });
    if (isDeleted) await endAccess(tx, user);
    else invalidateAccessTokens(tx, user);
    await recordUserChange(tx, "user.updated", before);
  }
}

/** Deactivates the portal users of a deleted subject and ends their access. */
export async function deactivatePortalUsers(tx: OrgTx, subjectId: string): Promise<void> {
  await recordEndedSubject(tx, subjectId, null);
  for (const user of await lockPortalUsers(tx, subjectId)) {
    if (!user.isActive) continue;
    const before = await readUser(tx, user.id);
    tx.assign(user, { isActive: false });
    await endAccess(tx, user);
    await recordUserChange(tx, "user.updated", before);
  }
}
