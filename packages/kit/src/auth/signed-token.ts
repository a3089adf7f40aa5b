/** Signed tokens: base64url of a short binary content and an HMAC-SHA256, verified with the key alone, so that no token is stored. */
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

const KEY_BYTES = 32;

/** Derives a key for one purpose from a secret, such as the assertion key. */
export const deriveKey = (secret: string | Buffer, purpose: string): Buffer => Buffer.from(hkdfSync("sha256", secret, "", purpose, KEY_BYTES));

export interface TokenLayout {
  contentBytes: number;
  /** Length of the HMAC, which is cut to its first bytes. */
  macBytes: number;
  /** Text that the HMAC covers before the content. */
  label?: string;
}

export interface TokenSigner {
  /** Returns the token of a content. The HMAC also covers `context`, which the token does not contain. */
  sign(content: Buffer, context?: string | Buffer): string;
  /** Returns the content of a token that was signed with this key and context, otherwise undefined. */
  verify(token: string, context?: string | Buffer): Buffer | undefined;
}

/** Returns the content of a token without verifying it. Returns undefined for another length or spelling: several base64url texts decode to the same bytes. */
export function parseUnverifiedToken(token: string, { contentBytes, macBytes }: TokenLayout): Buffer | undefined {
  const bytes = Buffer.from(token, "base64url");
  return bytes.length === contentBytes + macBytes && bytes.toString("base64url") === token ? bytes.subarray(0, contentBytes) : undefined;
}

/** Creates the signer and verifier of tokens of one layout. */
export function tokenSigner(key: Buffer, layout: TokenLayout): TokenSigner {
  const sign = (content: Buffer, context: string | Buffer = ""): Buffer => {
    const mac = createHmac("sha256", key)
      .update(layout.label ?? "")
      .update(content)
      .update(context)
      .digest();
    return Buffer.concat([content, mac.subarray(0, layout.macBytes)]);
  };
  return {
    sign: (content, context) => sign(content, context).toString("base64url"),
    verify(token, context) {
      const content = parseUnverifiedToken(token, layout);
      return content && timingSafeEqual(Buffer.from(token, "base64url"), sign(content, context)) ? content : undefined;
    },
  };
}
