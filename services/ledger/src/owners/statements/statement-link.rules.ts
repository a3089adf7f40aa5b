/** Links to statements that are mailed to owners: the statement and a digest of the address. */
import { createHash } from "node:crypto";
import { recordLinkSigner } from "@freehold/kit/auth/record-link";
import { deriveKey } from "@freehold/kit/auth/signed-token";

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

const DIGEST_BYTES = 8;

/** Returns the digest of an e-mail address, without regard to upper and lower case. */
export const digestOf = (address: string): string =>
  createHash("sha256")
    .update(address.toLowerCase())
    .digest("hex")
    .slice(0, 2 * DIGEST_BYTES);

/** Creates the issuer and verifier of links, with a key derived from the secret. */
export function statementLinks(secret: string, publicUrl: string): StatementLinks {
  const signer = recordLinkSigner(deriveKey(secret, "owner-statement-link"), { extraBytes: DIGEST_BYTES });
  return {
    issue({ statementId, addressDigest, ...linked }) {
      const token = signer.sign({ ...linked, recordId: statementId, extra: Buffer.from(addressDigest, "hex") });
      return `${publicUrl}/api/owner-statement-links/${token}`;
    },
    verify(token, now) {
      const linked = signer.verify(token, now);
      if (!linked) return undefined;
      const { recordId: statementId, extra, ...record } = linked;
      return { ...record, statementId, addressDigest: extra.toString("hex") };
    },
  };
}
