import { LockMode } from "@mikro-orm/core";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { readUser, recordUserChange } from "./user-changes.ts";
import { User } from "./user.entity.ts";

/** Assigns the portal users of a merged duplicate to the surviving subject. Takes effect with the next access token. */
export async function relinkPortalUser(tx: OrgTx, duplicateId: string, subjectId: string): Promise<void> {
  for (const user of await tx.find(User, { subjectId: duplicateId }, { lockMode: LockMode.PESSIMISTIC_WRITE })) {
    const before = await readUser(tx, user.id);
    tx.assign(user, { subjectId });
    await recordUserChange(tx, "user.updated", before);
  }
}
