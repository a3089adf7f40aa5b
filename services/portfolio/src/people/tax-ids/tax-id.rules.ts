/**
 * Tax ids of owners and vendors: write-only and stored encrypted. Responses contain the type and the last four digits; no operation decrypts the
 * full number, which is kept for the information returns of a year (1099-MISC, 1099-NEC).
 */
import { createCipheriv, randomBytes } from "node:crypto";
import type { FieldErrorCode } from "@freehold/contract/errors";
import { invalid } from "@freehold/kit/errors";

export const taxIdTypes = ["ssn", "ein"] as const;
type TaxIdType = (typeof taxIdTypes)[number];

/** Tax id in a request: both members, neither, or one or both null to delete it. */
export interface TaxIdInput {
  taxIdType?: TaxIdType | null | undefined;
  taxId?: string | null | undefined;
}

/** Columns of a stored tax id. */
export interface StoredTaxId {
  taxIdType: TaxIdType | null;
  taxIdLast4: string | null;
  taxIdSealed: Buffer | null;
}

const formats: Record<TaxIdType, { pattern: RegExp; example: string }> = {
  ssn: { pattern: /^(?!000|666)\d{3}-?(?!00)\d{2}-?(?!0000)\d{4}$/, example: "123-45-6789" },
  ein: { pattern: /^\d{2}-?\d{7}$/, example: "12-3456789" },
};

const fieldError = (path: string, code: FieldErrorCode, message: string) => invalid([{ path, code, message }]);

/** Returns the columns that a request sets: none when it has no tax id. Throws 400 for an invalid one. */
export type TaxIdEncryptor = (terms: TaxIdInput) => Partial<StoredTaxId>;

/** Creates the validator and encryptor of tax ids: AES-256-GCM with a 32-byte key, stored as nonce, tag and ciphertext. */
export function createTaxIdEncryptor(key: Buffer): TaxIdEncryptor {
  const encrypt = (digits: string): Buffer => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", key, nonce);
    const ciphertext = Buffer.concat([cipher.update(digits, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
  };
  return ({ taxIdType, taxId }) => {
    if (taxIdType === undefined && taxId === undefined) return {};
    if ((taxId ?? null) === null && (taxIdType ?? null) === null) return { taxIdType: null, taxIdLast4: null, taxIdSealed: null };
    if (taxId === undefined) throw fieldError("taxId", "required", "Send taxId with taxIdType: the type cannot be changed without the number.");
    if (taxIdType === undefined) throw fieldError("taxIdType", "required", "Send taxIdType with taxId: ssn or ein.");
    if (taxId === null || taxIdType === null) throw fieldError("taxId", "mismatch", "To delete a tax id, send null as taxId or taxIdType, and no other value.");
    const { pattern, example } = formats[taxIdType];
    if (!pattern.test(taxId)) throw fieldError("taxId", "format", `taxId must be an ${taxIdType.toUpperCase()} of nine digits, like ${example}.`);
    const digits = taxId.replaceAll("-", "");
    return { taxIdType, taxIdLast4: digits.slice(-4), taxIdSealed: encrypt(digits) };
  };
}
