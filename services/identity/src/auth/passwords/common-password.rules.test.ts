import { describe, expect, test } from "@jest/globals";
import { requireUncommonPassword } from "./common-password.rules.ts";
import { commonPasswords } from "./common-passwords.ts";

describe("requireUncommonPassword", () => {
  test.each(["password", "Password1", "QWERTYUIOP", "iloveyou", "12345678", "passw0rd"])("refuses %s, naming the field", (password) => {
    expect(() => requireUncommonPassword("newPassword", password)).toThrow(
      expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "newPassword" })] }),
    );
  });
  test.each(["correct horse battery", "password of mine", "passwore"])("accepts %s", (password) => {
    expect(() => requireUncommonPassword("password", password)).not.toThrow();
  });
  test("has a list without duplicates, in lower case and of the permitted length", () => {
    const passwords = commonPasswords.trim().split(/\s+/);
    expect(passwords.length).toBeGreaterThan(900);
    expect(new Set(passwords).size).toBe(passwords.length);
    expect(passwords.filter((password) => password.length < 8 || password !== password.normalize("NFKC").toLowerCase())).toEqual([]);
  });
});
