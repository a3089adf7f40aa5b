import { unscopedDb, OrgDb, type Database } from "@freehold/kit/db/org-db";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { sql } from "@freehold/kit/db/statement";

/** A user that somebody who gives an e-mail address may be. */
export interface Candidate {
  organizationId: string;
  organizationName: string;
  userId: string;
  email: string;
  fullName: string;
  isConfirmed: boolean;
  passwordHash: string;
}

const NO_ID = "00000000-0000-0000-0000-000000000000";
const MAX_ORGANIZATIONS = 50;

/**
 * The users who can sign in with an address, in one organization or in all. Where no address matches, the same question
 * is still asked once, so that the time it takes says nothing.
 */
export async function findCandidates(database: Database, email: string, organizationId?: string): Promise<Candidate[]> {
  const addresses = await unscopedDb(database).all(sql<{ organizationId: string; userId: string }>`select organization_id, user_id from sign_in_address
    where email = ${email} and (${organizationId ?? null}::uuid is null or organization_id = ${organizationId ?? null}::uuid)
    order by organization_id limit ${MAX_ORGANIZATIONS}`);
  const asked = addresses.length > 0 ? addresses : [{ organizationId: NO_ID, userId: NO_ID }];
  const found = await Promise.all(asked.map((address) => findCandidate(new OrgDb(database, systemPrincipal(address.organizationId)), address.userId)));
  return found.filter((candidate) => candidate !== undefined);
}

/** Inside one organization: somebody deactivated, deleted or without a password is no candidate. */
export const findCandidate = (db: OrgDb, userId: string): Promise<Candidate | undefined> =>
  db.first(sql<Candidate>`select u.organization_id, o.name as organization_name, u.id as user_id, u.email, u.full_name, u.email_confirmed_at is not null as is_confirmed, u.password_hash
    from app_user u join organization o on o.organization_id = u.organization_id
    where u.organization_id = ${db.organizationId} and u.id = ${userId} and u.is_active and u.deleted_at is null and u.password_hash is not null`);
