/** DKIM keys of domains: generated for each account, and encrypted where they are stored. */
import { createCipheriv, createDecipheriv, generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts and decrypts DKIM keys with AES-256-GCM. The sealed form is nonce, tag and ciphertext. */
export interface DkimKeyVault {
  seal(privateKey: string): Buffer;
  /** Decrypts a key. Returns undefined when it was encrypted with another key. */
  open(sealed: Buffer): string | undefined;
}

/** Creates the vault with the service's encryption key of 32 bytes. */
export const dkimKeyVault = (key: Buffer): DkimKeyVault => ({
  seal(privateKey) {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv("aes-256-gcm", key, nonce);
    const ciphertext = Buffer.concat([cipher.update(privateKey, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
  },
  open(sealed) {
    try {
      const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES)).setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
    } catch {
      return undefined;
    }
  },
});

const generate = promisify(generateKeyPair);

/** Generates a key pair: the private key in PEM, and the public key in base64 for its DNS record. RSA, since not all receivers verify Ed25519. */
export async function generateDkimKey(): Promise<{ privateKey: string; publicKey: string }> {
  const { privateKey, publicKey } = await generate("rsa", { modulusLength: 2_048 });
  return {
    privateKey: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    publicKey: publicKey.export({ format: "der", type: "spki" }).toString("base64"),
  };
}
