import { forbidden } from "@freehold/kit/errors";
import type { Principal } from "@freehold/kit/auth/principal";

/** Returns the id of the record that a portal user represents. Throws 403 for an account without one. */
export function requireSubjectId({ subjectId }: Pick<Principal, "subjectId">): string {
  if (subjectId === null) throw forbidden("This account is not linked to a tenant, owner or vendor. Ask the office for an invite.", "scope_forbidden");
  return subjectId;
}
