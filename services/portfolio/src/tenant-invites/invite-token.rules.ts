/**
 * The token of an invite: `t.` and the organization, the invite and a mark over both and the invite's nonce. It is
 * derived whenever it is needed; a copy of the database opens nothing without the key.
 */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

export interface InviteIds {
  organizationId: string;
  inviteId: string;
}
export interface InviteTokens {
  tokenOf(ids: InviteIds, nonce: string): string;
  /** Whether the token is this invite's. */
  isOf(token: string, ids: InviteIds, nonce: string): boolean;
}

const PREFIX = "t.";
const LENGTH = 48;

const bytes = (uuid: string) => Buffer.from(uuid.replaceAll("-", ""), "hex");
const uuid = (raw: Buffer) => raw.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** Whose invite a token claims to be; nothing when it is no token at all. What it claims is still to be checked. */
export function claimedBy(token: string): InviteIds | undefined {
  if (!/^t\.[\w-]{64}$/.test(token)) return undefined;
  const raw = Buffer.from(token.slice(PREFIX.length), "base64url");
  return raw.length === LENGTH ? { organizationId: uuid(raw.subarray(0, 16)), inviteId: uuid(raw.subarray(16, 32)) } : undefined;
}

/** Tokens under a key derived from a secret of the process. */
export function inviteTokens(secret: string): InviteTokens {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "invite-token", 32));
  const tokenOf = ({ organizationId, inviteId }: InviteIds, nonce: string) => {
    const ids = Buffer.concat([bytes(organizationId), bytes(inviteId)]);
    const mark = createHmac("sha256", key)
      .update(Buffer.concat([ids, bytes(nonce)]))
      .digest()
      .subarray(0, 16);
    return PREFIX + Buffer.concat([ids, mark]).toString("base64url");
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
