/** Tokens of links that open one record of an organization until they expire. Nothing is stored; a token cannot be altered or extended without the key. */
import { uuidFromBytes, uuidToBytes } from "../uuid.ts";
import { tokenSigner } from "./signed-token.ts";

export interface LinkedRecord {
  organizationId: string;
  recordId: string;
  expiresAt: Date;
  /** Further content of the token, as long as the signer says. */
  extra: Buffer;
}

export interface RecordLinkSigner {
  sign(linked: LinkedRecord): string;
  /** Returns the record of a token, or undefined when the token is invalid or expired. */
  verify(token: string, now: Date): LinkedRecord | undefined;
}

const ID_BYTES = 16;
const EXPIRY_BYTES = 6;
const EXPIRY_START = 2 * ID_BYTES;
const EXTRA_START = EXPIRY_START + EXPIRY_BYTES;
const MAC_BYTES = 16;

/** Creates the signer and verifier of the links of one kind, whose tokens contain `extraBytes` more bytes. */
export function recordLinkSigner(key: Buffer, { extraBytes = 0, label = "" } = {}): RecordLinkSigner {
  const signer = tokenSigner(key, { contentBytes: EXTRA_START + extraBytes, macBytes: MAC_BYTES, label });
  return {
    sign({ organizationId, recordId, expiresAt, extra }) {
      const expiry = Buffer.alloc(EXPIRY_BYTES);
      expiry.writeUIntBE(expiresAt.getTime(), 0, EXPIRY_BYTES);
      return signer.sign(Buffer.concat([uuidToBytes(organizationId), uuidToBytes(recordId), expiry, extra]));
    },
    verify(token, now) {
      const content = signer.verify(token);
      if (!content) return undefined;
      const expiresAt = new Date(content.readUIntBE(EXPIRY_START, EXPIRY_BYTES));
      if (expiresAt <= now) return undefined;
      const [organizationId, recordId] = [uuidFromBytes(content.subarray(0, ID_BYTES)), uuidFromBytes(content.subarray(ID_BYTES, EXPIRY_START))];
      return { organizationId, recordId, expiresAt, extra: content.subarray(EXTRA_START) };
    },
  };
}
