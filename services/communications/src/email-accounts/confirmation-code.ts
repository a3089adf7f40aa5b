/** Codes that confirm forwarding addresses. */
import { createHash, randomInt } from "node:crypto";

const DIGITS = 8;
export const MAX_CODE_ATTEMPTS = 5;
export const CODE_LIFETIME_MS = 86_400_000;
/** Minimum time between two codes. */
export const RESEND_MS = 60_000;

/** Returns a new code of eight digits. */
export const newCode = (): string => String(randomInt(10 ** DIGITS)).padStart(DIGITS, "0");

/** Returns the digest under which the code of an account is stored. Codes are short-lived and attempts are limited, so that a digest is enough. */
export const hashCode = (accountId: string, code: string): string =>
  createHash("sha256")
    .update(`${accountId} ${code.replaceAll(/\s/g, "")}`)
    .digest("base64url");
