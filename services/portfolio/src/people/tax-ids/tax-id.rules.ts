/**
 * Tax ids of owners and vendors: taken in, kept encrypted, never answered again. What is shown is the kind and the last
 * four digits; the whole is for the information returns that are filed at the end of a year (1099-MISC, 1099-NEC).
 */
import { createCipheriv, randomBytes } from "node:crypto";
import { invalid } from "@freehold/kit/errors";

export const taxIdTypes = ["ssn", "ein"] as const;
type TaxIdType = (typeof taxIdTypes)[number];

/** What a request may say of a tax id: both members, or neither, or two nulls to forget it. */
export interface TaxIdInput {
  taxIdType?: TaxIdType | null | undefined;
  taxId?: string | null | undefined;
}

/** What is kept of one. */
export interface StoredTaxId {
  taxIdType: TaxIdType | null;
  taxIdLast4: string | null;
  taxIdSealed: Buffer | null;
}

const forms: Record<TaxIdType, { form: RegExp; example: string }> = {
  ssn: { form: /^(?!000|666)\d{3}-?(?!00)\d{2}-?(?!0000)\d{4}$/, example: "123-45-6789" },
  ein: { form: /^\d{2}-?\d{7}$/, example: "12-3456789" },
};

const wrong = (path: string, code: string, message: string) => invalid([{ path, code, message }]);

/** The columns that a request changes: none when it says nothing of a tax id. */
export type TaxIdEncryptor = (terms: TaxIdInput) => Partial<StoredTaxId>;

/** Checks tax ids and encrypts them with AES-256-GCM under a key of 32 bytes: nonce, tag, then the digits. */
export function createTaxIdEncryptor(key: Buffer): TaxIdEncryptor {
  const seal = (digits: string): Buffer => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", key, nonce);
    const sealed = Buffer.concat([cipher.update(digits, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  };
  return ({ taxIdType, taxId }) => {
    if (taxIdType === undefined && taxId === undefined) return {};
    if (taxId === undefined) throw wrong("taxId", "required", "Send taxId with taxIdType: the number itself cannot be changed in part.");
    if (taxIdType === undefined) throw wrong("taxIdType", "required", "Say what taxId is: send taxIdType, ssn or ein.");
    if (taxId === null && taxIdType === null) return { taxIdType: null, taxIdLast4: null, taxIdSealed: null };
    if (taxId === null || taxIdType === null) throw wrong("taxId", "mismatch", "To forget a tax id, send both taxId and taxIdType as null.");
    const { form, example } = forms[taxIdType];
    if (!form.test(taxId)) throw wrong("taxId", "format", `taxId must be an ${taxIdType.toUpperCase()} of nine digits, like ${example}.`);
    const digits = taxId.replaceAll("-", "");
    return { taxIdType, taxIdLast4: digits.slice(-4), taxIdSealed: seal(digits) };
  };
}
