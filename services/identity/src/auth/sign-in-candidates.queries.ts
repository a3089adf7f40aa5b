import { unscopedDb, OrgDb, type Database } from "@freehold/kit/db/org-db";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { sql } from "@freehold/kit/db/statement";

/** A user who can sign in with an e-mail address. */
export interface Candidate {
  organizationId: string;
  organizationName: string;
  userId: string;
  email: string;
  fullName: string;
  isConfirmed: boolean;
  passwordHash: string;
}

const NIL_ID = "00000000-0000-0000-0000-000000000000";
/** Considered users by the proof that they own the address. Anyone can create accounts without one, so only the oldest of these count. */
const MAX_USERS = { mail: 50, invite: 50, none: 5 };

/**
 * Returns the users who can sign in with an e-mail address, in one organization or in all, those with the best proof first. Runs the
 * per-organization query once even without a match, so that the response time does not reveal whether the address has an account.
 */
export async function findCandidates(database: Database, email: string, organizationId?: string): Promise<Candidate[]> {
  const findAddresses = (proof: keyof typeof MAX_USERS) => sql<{ organizationId: string; userId: string }>`(select organization_id, user_id
    from sign_in_address where email = ${email} and proof = ${proof}
      and (${organizationId ?? null}::uuid is null or organization_id = ${organizationId ?? null}::uuid)
    order by organization_id limit ${MAX_USERS[proof]})`;
  const addresses = await unscopedDb(database).all(
    sql<{ organizationId: string; userId: string }>`${findAddresses("mail")} union all ${findAddresses("invite")} union all ${findAddresses("none")}`,
  );
  const lookups = addresses.length > 0 ? addresses : [{ organizationId: NIL_ID, userId: NIL_ID }];
  const candidates = await Promise.all(lookups.map((address) => findCandidate(new OrgDb(database, systemPrincipal(address.organizationId)), address.userId)));
  return candidates.filter((candidate) => candidate !== undefined);
}

/** Returns a user who can sign in: active, not deleted and with a password. */
export const findCandidate = (db: OrgDb, userId: string): Promise<Candidate | undefined> =>
  db.first(sql<Candidate>`select u.organization_id, o.name as organization_name, u.id as user_id, u.email, u.full_name, u.email_confirmed_at is not null as is_confirmed, u.password_hash
    from app_user u join organization o on o.organization_id = u.organization_id
    where u.organization_id = ${db.organizationId} and u.id = ${userId} and u.is_active and u.deleted_at is null and u.password_hash is not null`);
