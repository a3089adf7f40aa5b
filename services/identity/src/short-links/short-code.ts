/**
 * The codes of short links: twelve letters and digits, 71 bits, derived from the path by a key of the service, so that a
 * path has one code however often it is asked for. What is stored is the code's SHA-256 and the path encrypted under the
 * code: a copy of the database names no link that could be followed.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const LENGTH = 12;
const CODE = /^[0-9A-Za-z]{12}$/;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Makes the codes of paths with a key of their own, derived from the service's. */
export function shortCodes(serviceKey: string): (path: string) => string {
  const key = Buffer.from(hkdfSync("sha256", Buffer.from(serviceKey, "base64"), "", "freehold identity short link", 32));
  return (path) => {
    let rest = BigInt(`0x${createHmac("sha256", key).update(path).digest("hex")}`);
    let code = "";
    for (let place = 0; place < LENGTH; place++, rest /= 62n) code += ALPHABET[Number(rest % 62n)];
    return code;
  };
}

/** What is kept instead of a code; nothing for what cannot be one. */
export const hashShortCode = (code: string): string | undefined => (CODE.test(code) ? createHash("sha256").update(code).digest("base64url") : undefined);

const keyOf = (code: string): Buffer => Buffer.from(hkdfSync("sha256", code, "", "freehold short link path", 32));

/** A path that only its code opens. */
export function encryptPath(code: string, path: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", keyOf(code), nonce);
  const sealed = Buffer.concat([cipher.update(path, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
}

/** The path that was sealed; throws under any other code. */
export function decryptPath(code: string, sealed: string): string {
  const bytes = Buffer.from(sealed, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", keyOf(code), bytes.subarray(0, NONCE_BYTES)).setAuthTag(
    bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
  );
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString("utf8");
}
