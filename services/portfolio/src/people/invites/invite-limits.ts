import type { PortalRole } from "@freehold/contract/roles";
import type { ErrorCode } from "@freehold/contract/errors";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { ApiError } from "@freehold/kit/errors";
import type { Clients } from "../../clients.ts";

interface CountedInvite {
  kind: PortalRole;
  /** Recipient of the e-mail; undefined for an invite without one. */
  email: string | undefined;
}

/**
 * Writes an invite within the limits of identity, which counts the invites of all kinds. `write` calls `requireAllowed` inside its
 * transaction: a replay of a used Idempotency-Key does not reach it and is not refused. An invite that is not written does not count.
 */
export async function withinInviteLimits<T>(
  db: OrgDb,
  { identity }: Clients,
  { kind, email }: CountedInvite,
  write: (requireAllowed: () => void) => Promise<T>,
): Promise<T> {
  const { refusal } = await identity.countInvite(db, { kind, ...(email !== undefined && { email }) });
  const requireAllowed = () => {
    if (!refusal) return;
    const { status, code, message, retryAfter } = refusal;
    throw new ApiError(status, message, { code: code as ErrorCode, ...(retryAfter !== undefined && { headers: { "Retry-After": retryAfter } }) });
  };
  try {
    return await write(requireAllowed);
  } catch (error) {
    // A failure leaves the invite counted, which costs the organization one of its invites.
    if (!refusal) await identity.uncountInvite(db, {}).catch(() => undefined);
    throw error;
  }
}
