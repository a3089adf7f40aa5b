/**
 * Links to statements that are mailed to owners: organization id, statement id, expiry, a digest of the address, and an HMAC over them. Nothing is
 * stored.
 */
import { createHash } from "node:crypto";
import { deriveKey, tokenSigner } from "@freehold/kit/auth/signed-token";
import { uuidFromBytes, uuidToBytes } from "@freehold/kit/uuid";

/** Statement that a link opens until it expires. */
export interface LinkedStatement {
  organizationId: string;
  statementId: string;
  expiresAt: Date;
  /** Digest of the address to which the link was mailed. */
  addressDigest: string;
}

export interface StatementLinks {
  /** Returns the URL of a link. */
  issue(linked: LinkedStatement): string;
  /** Returns the statement of a token, or undefined when the token is invalid or expired. */
  verify(token: string, now: Date): LinkedStatement | undefined;
}

const EXPIRY_BYTES = 6;
const DIGEST_BYTES = 8;
const LAYOUT = { contentBytes: 16 + 16 + EXPIRY_BYTES + DIGEST_BYTES, macBytes: 16 };

/** Returns the digest of an e-mail address, without regard to upper and lower case. */
export const digestOf = (address: string): string =>
  createHash("sha256")
    .update(address.toLowerCase())
    .digest("hex")
    .slice(0, 2 * DIGEST_BYTES);

/** Creates the issuer and verifier of links, with a key derived from the secret. */
export function statementLinks(secret: string, publicUrl: string): StatementLinks {
  const signer = tokenSigner(deriveKey(secret, "owner-statement-link"), LAYOUT);
  return {
    issue({ organizationId, statementId, expiresAt, addressDigest }) {
      const expiry = Buffer.alloc(EXPIRY_BYTES);
      expiry.writeUIntBE(expiresAt.getTime(), 0, EXPIRY_BYTES);
      const token = signer.sign(Buffer.concat([uuidToBytes(organizationId), uuidToBytes(statementId), expiry, Buffer.from(addressDigest, "hex")]));
      return `${publicUrl}/api/owner-statement-links/${token}`;
    },
    verify(token, now) {
      const content = signer.verify(token);
      if (!content) return undefined;
      const expiresAt = new Date(content.readUIntBE(32, EXPIRY_BYTES));
      if (expiresAt <= now) return undefined;
      const addressDigest = content.subarray(32 + EXPIRY_BYTES).toString("hex");
      return { organizationId: uuidFromBytes(content.subarray(0, 16)), statementId: uuidFromBytes(content.subarray(16, 32)), expiresAt, addressDigest };
    },
  };
}
