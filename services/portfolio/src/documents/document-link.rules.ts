/**
 * Tokens of document links: organization id, document id, expiry and an HMAC over them. Nothing is stored; a token cannot be
 * altered or extended without the key.
 */
import { deriveKey, tokenSigner } from "@freehold/kit/auth/signed-token";
import { uuidToBytes, uuidFromBytes } from "@freehold/kit/uuid";

export interface LinkedDocument {
  organizationId: string;
  documentId: string;
  expiresAt: Date;
}

export interface DocumentLinks {
  /** Returns the token of a link. */
  issue(linked: LinkedDocument): string;
  /** Returns the document of a token, or undefined when the token is invalid or expired. */
  verify(token: string, now: Date): LinkedDocument | undefined;
}

const EXPIRY_BYTES = 6;
const LAYOUT = { contentBytes: 16 + 16 + EXPIRY_BYTES, macBytes: 16 };

/** Creates the issuer and verifier of link tokens, with a key derived from the secret. */
export function documentLinks(secret: string): DocumentLinks {
  const signer = tokenSigner(deriveKey(secret, "document-link"), LAYOUT);
  return {
    issue({ organizationId, documentId, expiresAt }) {
      const expiry = Buffer.alloc(EXPIRY_BYTES);
      expiry.writeUIntBE(expiresAt.getTime(), 0, EXPIRY_BYTES);
      return signer.sign(Buffer.concat([uuidToBytes(organizationId), uuidToBytes(documentId), expiry]));
    },
    verify(token, now) {
      const content = signer.verify(token);
      if (!content) return undefined;
      const expiresAt = new Date(content.readUIntBE(32, EXPIRY_BYTES));
      if (expiresAt <= now) return undefined;
      return { organizationId: uuidFromBytes(content.subarray(0, 16)), documentId: uuidFromBytes(content.subarray(16, 32)), expiresAt };
    },
  };
}
