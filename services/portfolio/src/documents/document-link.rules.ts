/**
 * The token of a link to a document: the organization, the document and when it ends, and a mark over them. Nothing of
 * it is stored; a link cannot be changed without the key, nor made longer.
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
  /** What a token leads to until it expires; nothing for one that was not made here. */
  read(token: string, now: Date): LinkedDocument | undefined;
}

const MARK = 16;
const LENGTH = 16 + 16 + 6 + MARK;

/** Links under a key derived from a secret of the process. */
export function documentLinks(secret: string): DocumentLinks {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "document-link", 32));
  const markOf = (content: Buffer) => createHmac("sha256", key).update(content).digest().subarray(0, MARK);
  return {
    tokenOf({ organizationId, documentId, expiresAt }) {
      const moment = Buffer.alloc(6);
      moment.writeUIntBE(expiresAt.getTime(), 0, 6);
      const content = Buffer.concat([uuidToBytes(organizationId), uuidToBytes(documentId), moment]);
      return Buffer.concat([content, markOf(content)]).toString("base64url");
    },
    read(token, now) {
      const raw = Buffer.from(token, "base64url");
      // Several texts decode to the same bytes; only one of them is the token.
      if (raw.length !== LENGTH || raw.toString("base64url") !== token) return undefined;
      const content = raw.subarray(0, LENGTH - MARK);
      if (!timingSafeEqual(raw.subarray(LENGTH - MARK), markOf(content))) return undefined;
      const expiresAt = new Date(content.readUIntBE(32, 6));
      if (expiresAt <= now) return undefined;
      return { organizationId: uuidFromBytes(content.subarray(0, 16)), documentId: uuidFromBytes(content.subarray(16, 32)), expiresAt };
    },
  };
}
