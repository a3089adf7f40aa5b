import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { now } from "@freehold/kit/time/clock";
import type { Access } from "./actor.rules.ts";

const userAccess = ({ organizationId, principal }: StatementRunner) =>
  sql<Access>`select role, is_active and deleted_at is null as is_active, access_version from app_user
    where organization_id = ${organizationId} and id = ${principal.userId}`;

const keyAccess = ({ organizationId, principal }: StatementRunner) =>
  sql<Access>`select role, revoked_at is null and (expires_at is null or expires_at > ${now()}) as is_active, access_version
    from service_key where organization_id = ${organizationId} and id = ${principal.userId}`;

/** Returns the current access of the caller, undefined when there is no such user or service key. */
export const findAccess = async (db: OrgDb): Promise<Access | undefined> => (await db.first(userAccess(db))) ?? (await db.first(keyAccess(db)));

/**
 * Returns the current access of the caller and locks it until the commit. Locks the organization first, so that two admins who change
 * each other cannot deadlock.
 */
export async function lockAccess(tx: OrgTx): Promise<Access | undefined> {
  await tx.first(sql`select from organization where organization_id = ${tx.organizationId} and id = ${tx.organizationId} for no key update`);
  return (await tx.first(sql<Access>`${userAccess(tx)} for no key update`)) ?? (await tx.first(sql<Access>`${keyAccess(tx)} for no key update`));
}
