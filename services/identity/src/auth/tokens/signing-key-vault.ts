/** Encryption of the private halves of signing keys, so that a copy of the database signs no access token. */
import { deriveKey } from "@freehold/kit/auth/signed-token";
import type { JWK } from "jose";
import { openText, sealText } from "../../sealing.ts";

export interface SigningKeyVault {
  /** Returns the encrypted key. */
  seal(privateKey: JWK): string;
  /** Returns the key, undefined when it was encrypted with another secret or altered. */
  open(sealedKey: string): JWK | undefined;
}

/** Creates the vault. Derives the encryption key from the assertion key (base64), which is not in the database. */
export function signingKeyVault(assertionKey: string): SigningKeyVault {
  const key = deriveKey(Buffer.from(assertionKey, "base64"), "freehold identity signing key");
  return {
    seal: (privateKey) => sealText(key, JSON.stringify(privateKey)),
    open(sealedKey) {
      try {
        return JSON.parse(openText(key, sealedKey)) as JWK;
      } catch {
        return undefined;
      }
    },
  };
}
