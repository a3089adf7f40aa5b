/**
 * Invite tokens: the initial of the kind, then organization id, invite id and an HMAC over both and the invite's nonce.
 * Tokens are derived, never stored, so a copy of the database grants no access without the key.
 */
import { portalRoles, type PortalRole } from "@freehold/contract/roles";
import { deriveKey, parseUnverifiedToken, tokenSigner } from "@freehold/kit/auth/signed-token";
import { uuidToBytes, uuidFromBytes } from "@freehold/kit/uuid";

export interface InviteIds {
  kind: PortalRole;
  organizationId: string;
  inviteId: string;
}
export interface InviteTokens {
  /** Returns the token of an invite. Deterministic. */
  issue(ids: InviteIds, nonce: string): string;
  /** Tells whether the token is that of the invite. */
  verify(token: string, ids: InviteIds, nonce: string): boolean;
}

const prefixOf = (kind: PortalRole) => `${kind[0]}.`;
const LAYOUT = { contentBytes: 32, macBytes: 16 };

/** Parses the ids in a token without verifying its HMAC. Returns undefined for a malformed token. */
export function parseUnverifiedPortalInviteToken(token: string): InviteIds | undefined {
  const kind = portalRoles.find((candidate) => token.startsWith(prefixOf(candidate)));
  const ids = kind && parseUnverifiedToken(token.slice(prefixOf(kind).length), LAYOUT);
  return ids && { kind, organizationId: uuidFromBytes(ids.subarray(0, 16)), inviteId: uuidFromBytes(ids.subarray(16)) };
}

/** Creates the issuer and verifier of tokens, with a key derived from the secret. */
export function createInviteTokens(secret: string): InviteTokens {
  const signer = tokenSigner(deriveKey(secret, "invite-token"), LAYOUT);
  const bytesOf = ({ organizationId, inviteId }: InviteIds) => Buffer.concat([uuidToBytes(organizationId), uuidToBytes(inviteId)]);
  return {
    issue: (ids, nonce) => prefixOf(ids.kind) + signer.sign(bytesOf(ids), uuidToBytes(nonce)),
    verify: (token, ids, nonce) => {
      const prefix = prefixOf(ids.kind);
      return token.startsWith(prefix) && signer.verify(token.slice(prefix.length), uuidToBytes(nonce))?.equals(bytesOf(ids)) === true;
    },
  };
}
