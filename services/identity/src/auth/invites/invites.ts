/** Reads and accepts invites. Identity stores the invites of office users, portfolio those of portal users. */
import type { auth } from "@freehold/contract/identity/auth";
import type { BodyOf } from "@freehold/contract/operation";
import { notFound } from "@freehold/kit/errors";
import { normalizePhone } from "@freehold/domain/phone";
import { parseUnverifiedInviteToken, USER_KIND } from "../../accounts/invites/invite-token.ts";
import type { Identity } from "../../context.ts";
import type { Acceptance, InviteView } from "./acceptance.ts";
import { requireUncommonPassword } from "../passwords/common-password.rules.ts";
import { acceptPortalInvite, getPortalInviteView } from "./portal-invites.ts";
import type { SignedIn } from "../tokens/sessions.ts";
import { acceptUserInvite, getUserInviteView } from "./user-invites.ts";
import type { AnonymousCaller } from "../anonymous-caller.ts";

type Request = BodyOf<typeof auth.operations.acceptInvite>;

/** Returns the invite of a token. Throws 404 for an expired or revoked invite and for an invalid token. */
export async function getInvite(identity: Identity, token: string, caller: AnonymousCaller): Promise<InviteView> {
  const { kind, organizationId } = requireInviteToken(token);
  return kind === USER_KIND ? getUserInviteView(identity, token, caller) : getPortalInviteView(identity, organizationId, token, caller);
}

/** Accepts an invite with a password and signs the user in. Throws 409 for an invite that has been accepted. */
export async function acceptInvite(identity: Identity, token: string, request: Request, caller: AnonymousCaller): Promise<SignedIn> {
  const { kind, organizationId } = requireInviteToken(token);
  requireUncommonPassword("password", request.password);
  const { phone, ...rest } = request;
  const acceptance: Acceptance = { ...rest, ...(phone !== undefined && { phone: normalizePhone("phone", phone) }) };
  return kind === USER_KIND ? acceptUserInvite(identity, token, acceptance, caller) : acceptPortalInvite(identity, organizationId, token, acceptance, caller);
}

function requireInviteToken(token: string): { kind: string; organizationId: string } {
  const parsed = parseUnverifiedInviteToken(token);
  if (!parsed) throw notFound("Invite");
  return parsed;
}
