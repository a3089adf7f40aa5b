import { createDecipheriv, randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { createTaxIdEncryptor, type TaxIdInput } from "./tax-id.rules.ts";

const key = randomBytes(32);
const encryptTaxId = createTaxIdEncryptor(key);

function decrypt(encrypted: Buffer): string {
  const decipher = createDecipheriv("aes-256-gcm", key, encrypted.subarray(0, 12));
  decipher.setAuthTag(encrypted.subarray(12, 28));
  return decipher.update(encrypted.subarray(28), undefined, "utf8") + decipher.final("utf8");
}

function errorOf(terms: TaxIdInput): unknown {
  try {
    return encryptTaxId(terms);
  } catch (error) {
    return error;
  }
}

describe("a tax id", () => {
  test.each([
    ["ssn", "123-45-6789", "123456789"],
    ["ssn", "123456789", "123456789"],
    ["ein", "12-3456789", "123456789"],
    ["ein", "001234567", "001234567"],
  ] as const)("%s %s is stored encrypted, with its last four digits", (taxIdType, taxId, digits) => {
    const { taxIdLast4, taxIdSealed } = encryptTaxId({ taxIdType, taxId });
    expect(taxIdLast4).toBe(digits.slice(-4));
    expect(taxIdSealed!.includes(digits)).toBe(false);
    expect(decrypt(taxIdSealed!)).toBe(digits);
  });

  test("is encrypted with a new nonce each time", () => {
    const encrypt = () => encryptTaxId({ taxIdType: "ein", taxId: "12-3456789" }).taxIdSealed!.toString("hex");
    expect(encrypt()).not.toBe(encrypt());
  });

  test.each([
    [{ taxIdType: "ssn", taxId: "000-45-6789" }, "taxId", "format"],
    [{ taxIdType: "ssn", taxId: "666-45-6789" }, "taxId", "format"],
    [{ taxIdType: "ssn", taxId: "123-00-6789" }, "taxId", "format"],
    [{ taxIdType: "ssn", taxId: "123-45-0000" }, "taxId", "format"],
    [{ taxIdType: "ein", taxId: "123-45-6789" }, "taxId", "format"],
    [{ taxIdType: "ein", taxId: "12-345678" }, "taxId", "format"],
    [{ taxIdType: "ein" }, "taxId", "required"],
    [{ taxId: "12-3456789" }, "taxIdType", "required"],
    [{ taxId: "" }, "taxIdType", "required"],
    [{ taxIdType: null, taxId: "12-3456789" }, "taxId", "mismatch"],
    [{ taxIdType: "ein", taxId: null }, "taxId", "mismatch"],
  ] as const)("%j is rejected", (terms, path, code) => {
    expect(errorOf(terms)).toMatchObject({ status: 400, errors: [{ path, code }] });
  });

  test("is unchanged when both members are omitted, and deleted when one or both are null", () => {
    expect(encryptTaxId({})).toEqual({});
    const deleted = { taxIdType: null, taxIdLast4: null, taxIdSealed: null };
    for (const terms of [{ taxId: null }, { taxIdType: null }, { taxIdType: null, taxId: null }]) expect(encryptTaxId(terms)).toEqual(deleted);
  });
});
