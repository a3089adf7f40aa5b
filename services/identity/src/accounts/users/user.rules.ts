import type { Role } from "@freehold/contract/roles";
import { conflict, invalid } from "@freehold/kit/errors";

const portals: readonly Role[] = ["tenant", "owner", "vendor"];

/** What a portal user is; the office is nobody's subject. */
export const subjectTypeOf = (role: Role): "tenant" | "owner" | "vendor" | null => (portals.includes(role) ? (role as "tenant" | "owner" | "vendor") : null);

export const emailTaken = () =>
  conflict("A user of this organization already has this e-mail address. Use another one, or change that user.", "duplicate", [
    { path: "email", code: "unique", message: "A user of this organization already has this e-mail address." },
  ]);

/** What decides whether somebody can run the organization. */
export interface AdminStatus {
  role: Role;
  isActive: boolean;
  deletedAt?: Date | null | undefined;
  passwordHash?: string | null | undefined;
}

/** An admin who can sign in; one who has not accepted the invite yet could not let anybody back in. */
export const canAdminister = ({ role, isActive, deletedAt, passwordHash }: AdminStatus): boolean =>
  role === "admin" && isActive && !deletedAt && !!passwordHash;

/** Refuses a change after which nobody could run the organization. */
export function requireRemainingAdmin(before: AdminStatus, after: AdminStatus, others: readonly AdminStatus[]): void {
  if (canAdminister(before) && !canAdminister(after) && !others.some(canAdminister))
    throw conflict("This is the organization's last active admin. Make another user an admin first.", "last_admin");
}

/** Refuses to make somebody of a portal one of the office: what they may see hangs on whom they are. */
export function forbidOfficePortalSwitch(before: Role, after: Role): void {
  if (before !== after && subjectTypeOf(before) !== subjectTypeOf(after))
    throw invalid([{ path: "role", code: "not_allowed", message: "role of a portal user cannot change. Invite the person as a new user instead." }]);
}
