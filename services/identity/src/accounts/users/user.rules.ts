import { isPortalRole, type PortalRole, type Role } from "@freehold/contract/roles";
import { conflict, invalid } from "@freehold/kit/errors";

/** Returns the subject type of a portal role, null for office roles. */
export const subjectTypeOf = (role: Role): PortalRole | null => (isPortalRole(role) ? role : null);

export const emailTaken = () =>
  conflict("A user of this organization already has this e-mail address. Use another one, or change that user.", "duplicate", [
    { path: "email", code: "unique", message: "A user of this organization already has this e-mail address." },
  ]);

export const subjectDeleted = () =>
  conflict("The tenant, owner or vendor of this user was deleted. Create the person again and send an invite.", "invalid_transition");

/** User fields that decide whether a user can administer the organization. */
export interface AdminStatus {
  role: Role;
  isActive: boolean;
  deletedAt?: Date | null | undefined;
  passwordHash?: string | null | undefined;
}

/** Tells whether the user is an admin who can sign in: active, not deleted and with a password. */
export const canAdminister = ({ role, isActive, deletedAt, passwordHash }: AdminStatus): boolean =>
  role === "admin" && isActive && !deletedAt && !!passwordHash;

/** Throws 409 for a change that leaves the organization without an admin who can sign in. */
export function requireRemainingAdmin(before: AdminStatus, after: AdminStatus, others: readonly AdminStatus[]): void {
  if (canAdminister(before) && !canAdminister(after) && !others.some(canAdminister))
    throw conflict("This is the organization's last active admin. Make another user an admin first.", "last_admin");
}

/** Throws 400 when the role changes between the office and a portal, since a portal user's access depends on the subject. */
export function forbidOfficePortalSwitch(before: Role, after: Role): void {
  if (before !== after && subjectTypeOf(before) !== subjectTypeOf(after))
    throw invalid([
      { path: "role", code: "not_allowed", message: "role cannot change between the office and a portal. Invite the person as a new user instead." },
    ]);
}
