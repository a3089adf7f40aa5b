import type { Scope } from "@freehold/kit/scope";
import { forbidden } from "@freehold/kit/errors";

/** Whom the caller stands for. Nobody is a portal user without. */
export function subjectOf({ subjectId }: Scope): string {
  if (subjectId === null) throw forbidden("This account stands for nobody in the portal. Ask the office for an invite.", "scope_forbidden");
  return subjectId;
}
