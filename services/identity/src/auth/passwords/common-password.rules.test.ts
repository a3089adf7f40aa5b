import { describe, expect, test } from "@jest/globals";
import { requireUncommonPassword } from "./common-password.rules.ts";
import { commonPasswords } from "./common-passwords.ts";

describe("refuseCommon", () => {
  test.each(["password", "Password1", "QWERTYUIOP", "iloveyou", "12345678", "passw0rd"])("refuses %s, naming the member", (password) => {
    expect(() => requireUncommonPassword("newPassword", password)).toThrow(
      expect.objectContaining({ status: 400, errors: [expect.objectContaining({ path: "newPassword" })] }),
    );
  });
  test.each(["correct horse battery", "password of mine", "passwore"])("takes %s", (password) => {
    expect(() => requireUncommonPassword("password", password)).not.toThrow();
  });
  test("knows many, each once, in lower case and long enough to be taken", () => {
    const all = commonPasswords.trim().split(/\s+/);
    expect(all.length).toBeGreaterThan(900);
    expect(new Set(all).size).toBe(all.length);
    expect(all.filter((each) => each.length < 8 || each !== each.normalize("NFKC").toLowerCase())).toEqual([]);
  });
});
