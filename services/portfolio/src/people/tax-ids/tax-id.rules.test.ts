import { createDecipheriv, randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { createTaxIdEncryptor, type TaxIdInput } from "./tax-id.rules.ts";

const key = randomBytes(32);
const kept = createTaxIdEncryptor(key);

function open(sealed: Buffer): string {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(12, 28));
  return decipher.update(sealed.subarray(28), undefined, "utf8") + decipher.final("utf8");
}

function refusalOf(terms: TaxIdInput): unknown {
  try {
    return kept(terms);
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
  ] as const)("%s %s is kept encrypted, with its last four digits beside it", (taxIdType, taxId, digits) => {
    const { taxIdLast4, taxIdSealed } = kept({ taxIdType, taxId });
    expect(taxIdLast4).toBe(digits.slice(-4));
    expect(taxIdSealed!.includes(digits)).toBe(false);
    expect(open(taxIdSealed!)).toBe(digits);
  });

  test("is sealed anew each time, so that two alike do not look alike", () => {
    const seal = () => kept({ taxIdType: "ein", taxId: "12-3456789" }).taxIdSealed!.toString("hex");
    expect(seal()).not.toBe(seal());
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
    [{ taxIdType: null, taxId: "12-3456789" }, "taxId", "mismatch"],
    [{ taxIdType: "ein", taxId: null }, "taxId", "mismatch"],
  ] as const)("%j is refused by name", (terms, path, code) => {
    expect(refusalOf(terms)).toMatchObject({ status: 400, errors: [{ path, code }] });
  });

  test("is left alone when nothing is said of it, and forgotten when both members are null", () => {
    expect(kept({})).toEqual({});
    expect(kept({ taxIdType: null, taxId: null })).toEqual({ taxIdType: null, taxIdLast4: null, taxIdSealed: null });
  });
});
