/**
 * The token of an invite: the initial of its kind, and the organization, the invite and a mark over both and the
 * invite's nonce. It is derived whenever it is needed; a copy of the database opens nothing without the key.
 */
import { uuidToBytes, uuidFromBytes } from "@freehold/kit/uuid";
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { portalKinds, type PortalKind } from "./invite.rules.ts";

export interface InviteIds {
  kind: PortalKind;
  organizationId: string;
  inviteId: string;
}
export interface InviteTokens {
  tokenOf(ids: InviteIds, nonce: string): string;
  /** Whether the token is this invite's. */
  isOf(token: string, ids: InviteIds, nonce: string): boolean;
}

const prefixOf = (kind: PortalKind) => `${kind[0]}.`;
const LENGTH = 48;

/** Whose invite a token claims to be; nothing when it is no token at all. What it claims is still to be checked. */
export function parseInviteToken(token: string): InviteIds | undefined {
  const kind = portalKinds.find((each) => token.startsWith(prefixOf(each)));
  const encoded = token.slice(2);
  if (!kind || !/^[\w-]{64}$/.test(encoded)) return undefined;
  const raw = Buffer.from(encoded, "base64url");
  return raw.length === LENGTH ? { kind, organizationId: uuidFromBytes(raw.subarray(0, 16)), inviteId: uuidFromBytes(raw.subarray(16, 32)) } : undefined;
}

/** Tokens under a key derived from a secret of the process. */
export function createInviteTokens(secret: string): InviteTokens {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "invite-token", 32));
  const tokenOf = ({ kind, organizationId, inviteId }: InviteIds, nonce: string) => {
    const ids = Buffer.concat([uuidToBytes(organizationId), uuidToBytes(inviteId)]);
    const mark = createHmac("sha256", key)
      .update(Buffer.concat([ids, uuidToBytes(nonce)]))
      .digest()
      .subarray(0, 16);
    return prefixOf(kind) + Buffer.concat([ids, mark]).toString("base64url");
  };
  return {
    tokenOf,
    isOf: (token, ids, nonce) => {
      const right = Buffer.from(tokenOf(ids, nonce));
      const given = Buffer.from(token);
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}
