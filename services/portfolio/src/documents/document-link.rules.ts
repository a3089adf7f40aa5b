/**
 * Tokens of document links: organization id, document id, expiry, for a mailed link the reader, and an HMAC over them. Nothing is stored; a token
 * cannot be altered or extended without the key.
 */
import { deriveKey, tokenSigner } from "@freehold/kit/auth/signed-token";
import { uuidToBytes, uuidFromBytes } from "@freehold/kit/uuid";

/** Tenant or vendor to whom a link was mailed, and with whose access it is followed. */
export interface LinkReader {
  kind: "tenant" | "vendor";
  id: string;
}

export interface LinkedDocument {
  organizationId: string;
  documentId: string;
  expiresAt: Date;
  reader?: LinkReader | undefined;
}

export interface DocumentLinks {
  /** Returns the token of a link. */
  issue(linked: LinkedDocument): string;
  /** Returns the document of a token, or undefined when the token is invalid or expired. */
  verify(token: string, now: Date): LinkedDocument | undefined;
}

const EXPIRY_BYTES = 6;
const READER_START = 16 + 16 + EXPIRY_BYTES;
const LAYOUT = { contentBytes: READER_START, macBytes: 16 };
/** A byte for the kind of the reader and 16 for the id. */
const READER_LAYOUT = { contentBytes: READER_START + 1 + 16, macBytes: 16, label: "reader" };
const readerKinds = ["tenant", "vendor"] as const;

/** Creates the issuer and verifier of link tokens, with a key derived from the secret. */
export function documentLinks(secret: string): DocumentLinks {
  const key = deriveKey(secret, "document-link");
  const [signer, readerSigner] = [tokenSigner(key, LAYOUT), tokenSigner(key, READER_LAYOUT)];
  return {
    issue({ organizationId, documentId, expiresAt, reader }) {
      const expiry = Buffer.alloc(EXPIRY_BYTES);
      expiry.writeUIntBE(expiresAt.getTime(), 0, EXPIRY_BYTES);
      const content = Buffer.concat([uuidToBytes(organizationId), uuidToBytes(documentId), expiry]);
      if (!reader) return signer.sign(content);
      return readerSigner.sign(Buffer.concat([content, Buffer.from([readerKinds.indexOf(reader.kind)]), uuidToBytes(reader.id)]));
    },
    verify(token, now) {
      const content = signer.verify(token) ?? readerSigner.verify(token);
      if (!content) return undefined;
      const expiresAt = new Date(content.readUIntBE(32, EXPIRY_BYTES));
      if (expiresAt <= now) return undefined;
      const kind = readerKinds[content[READER_START] ?? -1];
      return {
        organizationId: uuidFromBytes(content.subarray(0, 16)),
        documentId: uuidFromBytes(content.subarray(16, 32)),
        expiresAt,
        ...(kind && { reader: { kind, id: uuidFromBytes(content.subarray(READER_START + 1)) } }),
      };
    },
  };
}
