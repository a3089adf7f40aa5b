/** Invites: reading one, and accepting it by choosing a password. Those to the portals are portfolio's, those to the office ours. */
import type { auth } from "@freehold/contract/identity/auth";
import type { BodyOf } from "@freehold/contract/operation";
import { notFound } from "@freehold/kit/errors";
import { normalizePhone } from "@freehold/domain/phone";
import { readInviteToken, USER_KIND } from "../../accounts/invites/invite-token.ts";
import type { Identity } from "../../context.ts";
import type { Acceptance, InviteView } from "./acceptance.ts";
import { requireUncommonPassword } from "../passwords/common-password.rules.ts";
import { acceptPortalInvite, readPortalInvite } from "./portal-invites.ts";
import type { SignedIn } from "../tokens/sessions.ts";
import { acceptUserInvite, readUserInvite } from "./user-invites.ts";
import type { AnonymousCaller } from "../anonymous-caller.ts";

type Request = BodyOf<typeof auth.operations.acceptInvite>;

/** What an invite says. 404 once it has expired or was revoked, and for every other token. */
export async function getInvite(identity: Identity, token: string, caller: AnonymousCaller): Promise<InviteView> {
  const { kind, organizationId } = requireClaim(token);
  return kind === USER_KIND ? readUserInvite(identity, token, caller) : readPortalInvite(identity, organizationId, token, caller);
}

/** Makes the invited person a user with this password and signs them in; an invite works once. */
export async function acceptInvite(identity: Identity, token: string, request: Request, caller: AnonymousCaller): Promise<SignedIn> {
  const { kind, organizationId } = requireClaim(token);
  requireUncommonPassword("password", request.password);
  const { phone, ...rest } = request;
  const acceptance: Acceptance = { ...rest, ...(phone !== undefined && { phone: normalizePhone("phone", phone) }) };
  return kind === USER_KIND ? acceptUserInvite(identity, token, acceptance, caller) : acceptPortalInvite(identity, organizationId, token, acceptance, caller);
}

function requireClaim(token: string): { kind: string; organizationId: string } {
  const claimed = readInviteToken(token);
  if (!claimed) throw notFound("Invite");
  return claimed;
}
