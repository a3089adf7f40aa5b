import { describe, expect, test } from "@jest/globals";
import { hashShortCode, decryptPath, encryptPath, shortCodes } from "./short-code.ts";

const codeOf = shortCodes(Buffer.from("a service key").toString("base64"));
const path = "/invites/t.abc";

describe("shortCodes", () => {
  test("gives a path one code of twelve letters and digits, and another path another", () => {
    expect(codeOf(path)).toMatch(/^[0-9A-Za-z]{12}$/);
    expect(codeOf(path)).toBe(codeOf(path));
    expect(new Set(Array.from({ length: 1_000 }, (_, index) => codeOf(`${path}${index}`))).size).toBe(1_000);
    expect(shortCodes(Buffer.from("another key").toString("base64"))(path)).not.toBe(codeOf(path));
  });
  test("uses all letters and digits alike", () => {
    const text = Array.from({ length: 2_000 }, (_, index) => codeOf(String(index))).join("");
    const counts = Object.values(Object.groupBy(text, (sign) => sign)).map((signs) => signs!.length);
    expect(counts).toHaveLength(62);
    expect(Math.max(...counts) / Math.min(...counts)).toBeLessThan(1.6);
  });
});

describe("what is kept of a short link", () => {
  const code = codeOf(path);
  const sealed = encryptPath(code, path);
  test("opens with its code alone", () => {
    expect(decryptPath(code, sealed)).toBe(path);
    expect(() => decryptPath(codeOf("another"), sealed)).toThrow();
    expect(() => decryptPath(code, sealed.slice(0, -4))).toThrow();
  });
  test("says neither the code nor the path", () => expect(`${hashShortCode(code)}${sealed}`).not.toMatch(new RegExp(`${code}|invites`)));
  test.each(["", "short", `${code}x`, code.slice(1), `${code.slice(0, 11)}-`, `${code.slice(0, 11)}é`])("%j is no code", (text) =>
    expect(hashShortCode(text)).toBeUndefined(),
  );
});
