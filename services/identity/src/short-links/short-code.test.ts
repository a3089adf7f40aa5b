import { describe, expect, test } from "@jest/globals";
import { hashOf, openPath, sealPath, shortCodes } from "./short-code.ts";

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
  const sealed = sealPath(code, path);
  test("opens with its code alone", () => {
    expect(openPath(code, sealed)).toBe(path);
    expect(() => openPath(codeOf("another"), sealed)).toThrow();
    expect(() => openPath(code, sealed.slice(0, -4))).toThrow();
  });
  test("says neither the code nor the path", () => expect(`${hashOf(code)}${sealed}`).not.toMatch(new RegExp(`${code}|invites`)));
  test.each(["", "short", `${code}x`, code.slice(1), `${code.slice(0, 11)}-`, `${code.slice(0, 11)}é`])("%j is no code", (text) =>
    expect(hashOf(text)).toBeUndefined(),
  );
});
