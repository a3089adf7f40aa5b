/** Addresses of users and their consents: their own, and those of the tenant or vendor whom a portal user represents. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { User } from "@freehold/proto/identity/v1/identity";
import type { Clients } from "../clients.ts";
import { loadContacts, type PersonReference } from "./contacts.ts";
import type { Consent, Reachable } from "./eligibility.rules.ts";

/** Tenant or vendor whom a portal user represents. Owners have no contact of their own. */
const representedBy = ({ role, subjectId }: User): PersonReference[] =>
  subjectId !== undefined && (role === "tenant" || role === "vendor") ? [{ type: role, id: subjectId }] : [];

/** Returns the contacts of active users by id. Users who are deleted or inactive are left out. */
export async function loadUserContacts(db: OrgDb, clients: Clients, userIds: readonly string[]): Promise<Map<string, Reachable>> {
  if (userIds.length === 0) return new Map();
  const { users } = await clients.identity.listRecipients(db, { roles: [], subjectIds: [], userIds: [...new Set(userIds)] });
  const contacts = await loadContacts(db, clients, users.flatMap(representedBy));
  return new Map(
    users.map((user) => {
      const person = user.subjectId === undefined ? undefined : contacts.get(user.subjectId);
      const phone = user.phone ?? person?.phone ?? null;
      const own: Consent[] = user.smsConsent && user.phone !== undefined ? [{ phone: user.phone, ...user.smsConsent }] : [];
      const consents = [...own, ...(person?.consents ?? [])];
      return [
        user.id,
        { email: user.email, phone, isDeleted: person?.isDeleted ?? false, consents, emailDecisions: user.emailConsent ? [user.emailConsent] : [] },
      ];
    }),
  );
}
