import { describe, expect, test } from "@jest/globals";
import { newId } from "@freehold/kit/db/entity";
import { randomBytes } from "node:crypto";
import { replyAddresses } from "./reply-addresses.ts";

const addresses = replyAddresses(randomBytes(32));
const inboundAddress = `inbound-${randomBytes(9).toString("hex")}@mail.example.com`;

describe("the address for replies of a conversation", () => {
  test("names the inbound address and the conversation, in any case, and fits into an e-mail address", () => {
    for (const conversationId of [newId(), "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"]) {
      const address = addresses.addressOf({ inboundAddress, conversationId });
      expect(address.split("@")[0]!.length).toBeLessThanOrEqual(64);
      expect([addresses.parse(address), addresses.parse(address.toUpperCase())]).toEqual(Array(2).fill({ inboundAddress, conversationId }));
    }
  });

  test("with any other token names none", () => {
    const address = addresses.addressOf({ inboundAddress, conversationId: newId() });
    const [local, token, domain] = address.split(/[+@]/) as [string, string, string];
    const changed = Array.from(token, (digit, index) => `${token.slice(0, index)}${digit === "0" ? "1" : "0"}${token.slice(index + 1)}`);
    const others = [...changed, "", token.slice(1), `0${token}`, "z".repeat(token.length), "0".repeat(token.length)];
    for (const other of others) expect([other, addresses.parse(`${local}+${other}@${domain}`)]).toEqual([other, undefined]);
    expect(addresses.parse(inboundAddress)).toBeUndefined();
    expect(replyAddresses(randomBytes(32)).parse(address)).toBeUndefined();
  });
});
