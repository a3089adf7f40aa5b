import { unscopedDb, OrgDb, type Database } from "@freehold/kit/db/org-db";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** A user who can sign in with an e-mail address. */
export interface Candidate {
  organizationId: string;
  organizationName: string;
  userId: string;
  email: string;
  fullName: string;
  /** Proof that the user owns the e-mail address. */
  proof: Proof;
  passwordHash: string;
}

type Proof = "mail" | "invite" | "none";
type SignInAddress = { organizationId: string; userId: string; proof: Proof };

const NIL_ID = "00000000-0000-0000-0000-000000000000";
/**
 * Maximum number of users considered, by their proof of ownership. Anyone can create accounts without one, so only the oldest of these count; and anyone can
 * invite the address and accept, so half of those with an invite are the ones with the latest sign-ins, and half the oldest.
 */
const MAX_USERS = { mail: 50, invite: 25, none: 5 };

/**
 * Returns the users who can sign in with an e-mail address, in one organization or in all, those with the best proof first. Runs the
 * per-organization query once even without a match, so that the response time does not reveal whether the e-mail address has an account.
 */
export async function findCandidates(database: Database, email: string, organizationId?: string): Promise<Candidate[]> {
  const latest = sql`signed_in_at desc nulls last`;
  const oldest = sql`organization_id`;
  const findAddresses = (proof: Proof, order: RawBuilder<unknown>) => sql<SignInAddress>`(select organization_id, user_id, proof
    from sign_in_address where email = ${email} and proof = ${proof}
      and (${organizationId ?? null}::uuid is null or organization_id = ${organizationId ?? null}::uuid)
    order by ${order}, organization_id limit ${MAX_USERS[proof]})`;
  const addresses = await unscopedDb(database).all(
    sql<SignInAddress>`${findAddresses("mail", latest)} union all (${findAddresses("invite", latest)} union ${findAddresses("invite", oldest)})
      union all ${findAddresses("none", oldest)}`,
  );
  const lookups: SignInAddress[] = addresses.length > 0 ? addresses : [{ organizationId: NIL_ID, userId: NIL_ID, proof: "none" }];
  const candidates = await Promise.all(
    lookups.map(async (address) => {
      const user = await findCandidate(new OrgDb(database, systemPrincipal(address.organizationId)), address.userId);
      return user && { ...user, proof: address.proof };
    }),
  );
  return candidates.filter((candidate) => candidate !== undefined);
}

/** Returns a user who can sign in: active, not deleted and with a password. */
export const findCandidate = (db: OrgDb, userId: string): Promise<Omit<Candidate, "proof"> | undefined> =>
  db.first(sql<Omit<Candidate, "proof">>`select u.organization_id, o.name as organization_name, u.id as user_id, u.email, u.full_name, u.password_hash
    from app_user u join organization o on o.organization_id = u.organization_id
    where u.organization_id = ${db.organizationId} and u.id = ${userId} and u.is_active and u.deleted_at is null and u.password_hash is not null`);
