/** Tokens of document links: the document, and for a mailed link the reader. */
import { recordLinkSigner } from "@freehold/kit/auth/record-link";
import { deriveKey } from "@freehold/kit/auth/signed-token";
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

/** A byte for the kind of the reader and 16 for the id. */
const READER_LAYOUT = { extraBytes: 1 + 16, label: "reader" };
const readerKinds = ["tenant", "vendor"] as const;

const bytesOf = ({ kind, id }: LinkReader): Buffer => Buffer.concat([Buffer.from([readerKinds.indexOf(kind)]), uuidToBytes(id)]);

function readerFrom(bytes: Buffer): LinkReader | undefined {
  const kind = readerKinds[bytes[0] ?? -1];
  return kind && { kind, id: uuidFromBytes(bytes.subarray(1)) };
}

/** Creates the issuer and verifier of link tokens, with a key derived from the secret. */
export function documentLinks(secret: string): DocumentLinks {
  const key = deriveKey(secret, "document-link");
  const [signer, readerSigner] = [recordLinkSigner(key), recordLinkSigner(key, READER_LAYOUT)];
  return {
    issue({ documentId, reader, ...linked }) {
      const record = { ...linked, recordId: documentId };
      return reader ? readerSigner.sign({ ...record, extra: bytesOf(reader) }) : signer.sign({ ...record, extra: Buffer.alloc(0) });
    },
    verify(token, now) {
      const linked = signer.verify(token, now) ?? readerSigner.verify(token, now);
      if (!linked) return undefined;
      const { recordId: documentId, extra, ...record } = linked;
      const reader = readerFrom(extra);
      return { ...record, documentId, ...(reader && { reader }) };
    },
  };
}
