import { randomBytes } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { deriveKey, parseUnverifiedToken, tokenSigner } from "./signed-token.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const layout = { contentBytes: 22, macBytes: 16 };
const key = deriveKey("a secret", "test");
const content = randomBytes(layout.contentBytes);
const signer = tokenSigner(key, layout);
const token = signer.sign(content, "context");

describe("a signed token", () => {
  test("contains its content and is verified with its key and context", () => {
    expect(parseUnverifiedToken(token, layout)).toEqual(content);
    expect(signer.verify(token, "context")).toEqual(content);
  });

  test.each([
    ["another context", signer, "another"],
    ["no context", signer, undefined],
    ["a key for another purpose", tokenSigner(deriveKey("a secret", "another"), layout), "context"],
    ["a key of another secret", tokenSigner(deriveKey("another", "test"), layout), "context"],
    ["another label", tokenSigner(key, { ...layout, label: "another" }), "context"],
  ])("is not verified with %s", (_, { verify }, context) => expect(verify(token, context)).toBeUndefined());

  test("is not verified with any character changed, in another spelling of the same bytes, or of another length", () => {
    for (let at = 0; at < token.length; at++)
      expect(signer.verify(`${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`, "context")).toBeUndefined();
    const bytes = Buffer.from(token, "base64url");
    const sameBytes = Array.from(ALPHABET, (last) => token.slice(0, -1) + last).filter(
      (text) => text !== token && Buffer.from(text, "base64url").equals(bytes),
    );
    expect(sameBytes.length).toBeGreaterThan(0);
    for (const text of ["", `${token}A`, token.slice(0, -1), `${token}=`, ...sameBytes]) expect(signer.verify(text, "context")).toBeUndefined();
  });
});
