import type { Principal } from "@freehold/kit/auth/principal";
import { unauthorized } from "@freehold/kit/errors";

/** Current access of a user or service key. */
export interface Access {
  role: string;
  /** False for a deactivated or deleted user and for a revoked or expired key. */
  isActive: boolean;
  accessVersion: number;
}

/** Throws 401 unless the caller's access is that of the access token. A principal without an access version is compared by role only. */
export function requireUnchangedAccess(principal: Principal, access: Access | undefined): void {
  const { role, accessVersion } = principal;
  const isCurrent = access?.isActive && access.role === role && (accessVersion ?? access.accessVersion) >= access.accessVersion;
  if (!isCurrent) throw unauthorized("Your access has changed since this access token was issued. Sign in again.", "token_expired");
}
