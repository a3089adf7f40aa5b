import { describe, expect, test } from "@jest/globals";
import { throttle } from "./throttle.ts";

const refusal = expect.objectContaining({ status: 429, code: "rate_limited", headers: { "Retry-After": expect.stringMatching(/^(89\d|900)$/) } });

describe("throttle", () => {
  test("refuses an account after so many wrong passwords, and no other account", async () => {
    const limits = throttle(2);
    await limits.countWrong("ada@example.com");
    await limits.refuseGuessing("ada@example.com");
    await limits.countWrong("ada@example.com");
    await expect(limits.refuseGuessing("ada@example.com")).rejects.toEqual(refusal);
    await limits.refuseGuessing("bob@example.com");
  });
  test("forgets slips once the right password was given", async () => {
    const limits = throttle(1);
    await limits.countWrong("ada@example.com");
    await limits.forgive("ada@example.com");
    await limits.refuseGuessing("ada@example.com");
  });
  test("refuses the 51st try from one address", async () => {
    const limits = throttle(10);
    for (let tries = 0; tries < 50; tries++) await limits.countAddress("192.0.2.1");
    await expect(limits.countAddress("192.0.2.1")).rejects.toEqual(refusal);
    await limits.countAddress("192.0.2.2");
  });
  test("0 turns all of it off", async () => {
    const limits = throttle(0);
    for (let tries = 0; tries < 100; tries++) {
      await limits.countAddress("192.0.2.1");
      await limits.countWrong("ada@example.com");
    }
    await limits.refuseGuessing("ada@example.com");
  });
});
