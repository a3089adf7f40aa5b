/** Portal users whose tenant, owner or vendor was merged or deleted. */
import { LockMode } from "@mikro-orm/core";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { endAccess, invalidateAccessTokens } from "./end-access.ts";
import { isSubjectDeleted, lockCurrentSubject, recordEndedSubject } from "./ended-subjects.queries.ts";
import { removeUser } from "./remove-user.ts";
import { getUserView, recordUserChange } from "./user-changes.ts";
import { User } from "./user.entity.ts";
import { findConflictingUsers, type UserRow } from "./users.queries.ts";

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
    const before = await getUserView(tx, user.id);
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
    const before = await getUserView(tx, user.id);
    tx.assign(user, { isActive: false });
    await endAccess(tx, user);
    await recordUserChange(tx, "user.updated", before);
  }
}

/** Tells whether the tenant, owner or vendor of a deactivated user was deleted, so that the user cannot be activated again. */
export const hasDeletedSubject = async (
  db: StatementRunner,
  { isActive, subjectId }: { isActive: boolean; subjectId?: string | null | undefined },
): Promise<boolean> => !isActive && !!subjectId && (await isSubjectDeleted(db, subjectId));

/** Returns the users with an e-mail address, other than those of the subject and those whose own subject was deleted. */
export async function findAddressHolders(db: StatementRunner, { email, subjectId }: { email: string; subjectId: string }): Promise<UserRow[]> {
  const others = (await findConflictingUsers(db, email.toLowerCase(), subjectId)).filter((user) => user.subjectId !== subjectId);
  const isFormer = await Promise.all(others.map((user) => hasDeletedSubject(db, user)));
  return others.filter((_, index) => !isFormer[index]);
}

/** Deletes the user with an e-mail address whose tenant, owner or vendor was deleted, so that a person who is created again can use the address. */
export async function removeFormerUser(tx: OrgTx, email: string): Promise<void> {
  for (const user of await tx.find(User, { email, isActive: false, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE }))
    if (await hasDeletedSubject(tx, user)) await removeUser(tx, user);
}
