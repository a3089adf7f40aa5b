/**
 * The tokens of invites: `<kind>.<base64url of organization id, invite id and a MAC>`. They are derived and never
 * stored, so a copy of the database opens nothing. Portfolio's tokens have the same layout under other kinds and
 * another key, so that any token says which organization it belongs to.
 */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** The kind of the invites that identity sends itself. */
export const USER_KIND = "u";

const LAYOUT = /^([a-z])\.([A-Za-z0-9_-]{64,200})$/;
const ID_BYTES = 16;

const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll("-", ""), "hex");
const idOf = (bytes: Buffer): string => bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

export interface InviteTokens {
  /** The token of an invite; the same one each time. */
  issue(organizationId: string, inviteId: string): string;
  /** The invite that a token of ours names, or nothing when anybody else made it. */
  verify(token: string): { organizationId: string; inviteId: string } | undefined;
}

/** What any invite token says about itself, before anybody has checked that it is genuine. */
export function readInviteToken(token: string): { kind: string; organizationId: string } | undefined {
  const [, kind, encoded] = LAYOUT.exec(token) ?? [];
  if (!kind || !encoded) return undefined;
  const bytes = Buffer.from(encoded, "base64url");
  return bytes.length < 3 * ID_BYTES ? undefined : { kind, organizationId: idOf(bytes.subarray(0, ID_BYTES)) };
}

/** Makes and opens tokens with a key of their own, derived from the service's. */
export function userInviteTokens(serviceKey: string): InviteTokens {
  const key = Buffer.from(hkdfSync("sha256", Buffer.from(serviceKey, "base64"), "", "freehold identity user invite", 32));
  const mac = (ids: Buffer): Buffer => createHmac("sha256", key).update(USER_KIND).update(ids).digest();

  return {
    issue(organizationId, inviteId) {
      const ids = Buffer.concat([bytesOf(organizationId), bytesOf(inviteId)]);
      return `${USER_KIND}.${Buffer.concat([ids, mac(ids)]).toString("base64url")}`;
    },
    verify(token) {
      const [, kind, encoded] = LAYOUT.exec(token) ?? [];
      const bytes = Buffer.from(encoded ?? "", "base64url");
      const ids = bytes.subarray(0, 2 * ID_BYTES);
      const expected = mac(ids);
      const given = bytes.subarray(2 * ID_BYTES);
      if (kind !== USER_KIND || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      // Spare bits at the end of base64 would let one invite have several spellings.
      if (bytes.toString("base64url") !== encoded) return undefined;
      return { organizationId: idOf(ids.subarray(0, ID_BYTES)), inviteId: idOf(ids.subarray(ID_BYTES)) };
    },
  };
}
