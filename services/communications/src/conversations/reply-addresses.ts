/**
 * Addresses for replies to the e-mails of a conversation: an inbound address of the organization with a token, as in
 * `inbound-1f…+2ze…@mail.example`. The token names the conversation and is signed (HMAC), so that it cannot be forged.
 */
import { uuidFromBytes, uuidToBytes } from "@freehold/kit/uuid";
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

const ID_BYTES = 16;
/** With more, the part before the @ would exceed 64 characters. A guess takes effect on one conversation only, and is made by e-mail. */
const MAC_BYTES = 6;
/** Digits of base 36, since mail servers may change the case. */
const TOKEN_LENGTH = 35;

/** Parts of an address for replies. */
export interface ReplyAddress {
  inboundAddress: string;
  conversationId: string;
}

export interface ReplyAddresses {
  /** Returns the address for replies to the e-mails of a conversation. */
  addressOf(reply: ReplyAddress): string;
  /** Parses an address. Returns undefined for another address, and for one whose token was made with another key. */
  parse(address: string): ReplyAddress | undefined;
}

/** Creates the addresses with the service's encryption key of 32 bytes. */
export function replyAddresses(encryptionKey: Buffer): ReplyAddresses {
  const key = Buffer.from(hkdfSync("sha256", encryptionKey, "", "reply addresses of conversations", 32));
  const macOf = (id: Buffer) => createHmac("sha256", key).update(id).digest().subarray(0, MAC_BYTES);
  return {
    addressOf({ inboundAddress, conversationId }) {
      const id = uuidToBytes(conversationId);
      const token = BigInt(`0x${Buffer.concat([id, macOf(id)]).toString("hex")}`).toString(36);
      return inboundAddress.replace("@", `+${token.padStart(TOKEN_LENGTH, "0")}@`);
    },
    parse(address) {
      const [, local, token, domain] = /^([^@+]+)\+([0-9a-z]{35})@([^@]+)$/.exec(address.toLowerCase()) ?? [];
      const bytes = token === undefined ? undefined : decode(token);
      if (!bytes) return undefined;
      const [id, mac] = [bytes.subarray(0, ID_BYTES), bytes.subarray(ID_BYTES)];
      if (!timingSafeEqual(mac, macOf(id))) return undefined;
      return { inboundAddress: `${local}@${domain}`, conversationId: uuidFromBytes(id) };
    },
  };
}

/** Returns the bytes of a token, or undefined for a number that is too large. */
function decode(token: string): Buffer | undefined {
  let number = 0n;
  for (const digit of token) number = number * 36n + BigInt(Number.parseInt(digit, 36));
  const hex = number.toString(16).padStart((ID_BYTES + MAC_BYTES) * 2, "0");
  return hex.length > (ID_BYTES + MAC_BYTES) * 2 ? undefined : Buffer.from(hex, "hex");
}
