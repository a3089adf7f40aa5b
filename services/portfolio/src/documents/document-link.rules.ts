/**
 * Tokens of document links: organization id, document id, expiry and an HMAC over them. Nothing is stored; a token cannot be
 * altered or extended without the key.
 */
import { uuidToBytes, uuidFromBytes } from "@freehold/kit/uuid";
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

export interface LinkedDocument {
  organizationId: string;
  documentId: string;
  expiresAt: Date;
}

export interface DocumentLinks {
  tokenOf(linked: LinkedDocument): string;
  /** Returns the document of a token, or undefined when the token is invalid or expired. */
  verify(token: string, now: Date): LinkedDocument | undefined;
}

const MAC_BYTES = 16;
const TOKEN_BYTES = 16 + 16 + 6 + MAC_BYTES;

/** Creates and verifies link tokens with a key derived from the secret. */
export function documentLinks(secret: string): DocumentLinks {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "document-link", 32));
  const macOf = (content: Buffer) => createHmac("sha256", key).update(content).digest().subarray(0, MAC_BYTES);
  return {
    tokenOf({ organizationId, documentId, expiresAt }) {
      const expiry = Buffer.alloc(6);
      expiry.writeUIntBE(expiresAt.getTime(), 0, 6);
      const content = Buffer.concat([uuidToBytes(organizationId), uuidToBytes(documentId), expiry]);
      return Buffer.concat([content, macOf(content)]).toString("base64url");
    },
    verify(token, now) {
      const raw = Buffer.from(token, "base64url");
      // Several base64url texts decode to the same bytes; only the canonical one is accepted.
      if (raw.length !== TOKEN_BYTES || raw.toString("base64url") !== token) return undefined;
      const content = raw.subarray(0, TOKEN_BYTES - MAC_BYTES);
      if (!timingSafeEqual(raw.subarray(TOKEN_BYTES - MAC_BYTES), macOf(content))) return undefined;
      const expiresAt = new Date(content.readUIntBE(32, 6));
      if (expiresAt <= now) return undefined;
      return { organizationId: uuidFromBytes(content.subarray(0, 16)), documentId: uuidFromBytes(content.subarray(16, 32)), expiresAt };
    },
  };
}
