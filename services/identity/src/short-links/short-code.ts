/**
 * Codes of short links: twelve letters and digits (71 bits), derived from the target path of the link by an HMAC with a secret
 * key, so each target path has one code. The database stores the SHA-256 of the code, and the target path encrypted with a key
 * derived from the code, so a copy of the database does not contain a usable link.
 */
import { createHash, createHmac } from "node:crypto";
import { deriveKey } from "@freehold/kit/auth/signed-token";
import { openText, sealText } from "../sealing.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CODE_LENGTH = 12;
const CODE_PATTERN = /^[0-9A-Za-z]{12}$/;

/** Creates the function that derives codes from paths. The HMAC key is derived from the assertion key. */
export function shortCodeDeriver(assertionKey: string): (path: string) => string {
  const key = deriveKey(Buffer.from(assertionKey, "base64"), "freehold identity short link");
  return (path) => {
    let quotient = BigInt(`0x${createHmac("sha256", key).update(path).digest("hex")}`);
    let code = "";
    for (let position = 0; position < CODE_LENGTH; position++, quotient /= 62n) code += ALPHABET[Number(quotient % 62n)];
    return code;
  };
}

/** Returns the digest under which a code is stored, or undefined for a malformed code. */
export const hashShortCode = (code: string): string | undefined =>
  CODE_PATTERN.test(code) ? createHash("sha256").update(code).digest("base64url") : undefined;

const pathEncryptionKey = (code: string): Buffer => deriveKey(code, "freehold short link path");

/** Encrypts a path under a key derived from the code. */
export const encryptPath = (code: string, path: string): string => sealText(pathEncryptionKey(code), path);

/** Decrypts a path. Throws when the code does not match. */
export const decryptPath = (code: string, encrypted: string): string => openText(pathEncryptionKey(code), encrypted);
