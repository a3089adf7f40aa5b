import { describe, expect, test } from "@jest/globals";
import { hashShortCode, decryptPath, encryptPath, shortCodeDeriver } from "./short-code.ts";

const codeOf = shortCodeDeriver(Buffer.from("an assertion key").toString("base64"));
const path = "/invites/t.abc";

describe("shortCodeDeriver", () => {
  test("derives one code of twelve letters and digits per path", () => {
    expect(codeOf(path)).toMatch(/^[0-9A-Za-z]{12}$/);
    expect(codeOf(path)).toBe(codeOf(path));
    expect(new Set(Array.from({ length: 1_000 }, (_, index) => codeOf(`${path}${index}`))).size).toBe(1_000);
    expect(shortCodeDeriver(Buffer.from("another key").toString("base64"))(path)).not.toBe(codeOf(path));
  });
  test("uses all letters and digits equally often", () => {
    const text = Array.from({ length: 2_000 }, (_, index) => codeOf(String(index))).join("");
    const counts = Object.values(Object.groupBy(text, (character) => character)).map((characters) => characters!.length);
    expect(counts).toHaveLength(62);
    expect(Math.max(...counts) / Math.min(...counts)).toBeLessThan(1.6);
  });
});

describe("a stored short link", () => {
  const code = codeOf(path);
  const encrypted = encryptPath(code, path);
  test("decrypts only with its code", () => {
    expect(decryptPath(code, encrypted)).toBe(path);
    expect(() => decryptPath(codeOf("another"), encrypted)).toThrow();
    expect(() => decryptPath(code, encrypted.slice(0, -4))).toThrow();
  });
  test("contains neither the code nor the path", () => expect(`${hashShortCode(code)}${encrypted}`).not.toMatch(new RegExp(`${code}|invites`)));
  test.each(["", "short", `${code}x`, code.slice(1), `${code.slice(0, 11)}-`, `${code.slice(0, 11)}é`])("%j is not a code", (text) =>
    expect(hashShortCode(text)).toBeUndefined(),
  );
});
