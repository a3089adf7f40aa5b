import type { PortalRole } from "@freehold/contract/roles";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { conflict } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";

/**
 * Tells whether another user of the organization signs in with the address of an invite, which could then never be accepted. The user of a deleted
 * person gives the address up. Calls identity, so it runs before the transaction.
 */
export async function isAddressTaken(
  db: OrgDb,
  { identity }: Clients,
  { email, subjectId }: { email: string | undefined; subjectId: string },
): Promise<boolean> {
  if (email === undefined) return false;
  const { hasOfficeUser, subjectIds } = await identity.findAddressHolders(db, { email, subjectId });
  return hasOfficeUser || (subjectIds.length > 0 && (await countDeleted(db, subjectIds)) < subjectIds.length);
}

/** Returns how many of the tenants, owners and vendors were deleted. A merged tenant was not: its user is that of the surviving one. */
async function countDeleted(db: StatementRunner, ids: readonly string[]): Promise<number> {
  const deleted = sql`organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[]) and deleted_at is not null`;
  const rows = await db.all(sql`select id from tenant where ${deleted} and merged_into_id is null
    union all select id from owner where ${deleted} union all select id from vendor where ${deleted}`);
  return rows.length;
}

export const addressTaken = (kind: PortalRole) =>
  conflict(`The e-mail address already belongs to another user of the organization. Invite the ${kind} with another one in email.`, "duplicate");
