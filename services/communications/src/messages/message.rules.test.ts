import { describe, expect, test } from "@jest/globals";
import { initialDelivery, retryDelaySeconds } from "./message.rules.ts";

describe("initialDelivery", () => {
  const queued = (provider: string) => ({ provider, status: "queued", error: null });
  const inOutbox = { provider: "outbox", status: "sent", error: null };
  const skipped = (provider: string) => ({ provider, status: "skipped", error: "not_configured" });
  test.each([
    ["email", "mail server", { mailServer: true }, queued("smtp")],
    ["email", "mail server and development outbox", { mailServer: true, devOutbox: true }, queued("smtp")],
    ["email", "development outbox", { devOutbox: true }, inOutbox],
    ["email", "SMS provider", { smsProvider: true }, skipped("smtp")],
    ["sms", "SMS provider", { smsProvider: true }, queued("sms")],
    ["sms", "SMS provider and development outbox", { smsProvider: true, devOutbox: true }, queued("sms")],
    ["sms", "development outbox", { devOutbox: true }, inOutbox],
    ["sms", "mail server", { mailServer: true }, skipped("sms")],
    ["in_app", "nothing", {}, { provider: "in_app", status: "delivered", error: null }],
  ] as const)("of %s with %s is right", (channel, _, configured, expected) => {
    expect(initialDelivery(channel, { mailServer: false, smsProvider: false, devOutbox: false, ...configured })).toEqual(expected);
  });
});

describe("retryDelaySeconds", () => {
  test("increases over five retries and is undefined after the sixth failed attempt", () => {
    expect([1, 2, 3, 4, 5, 6].map((failedAttempts) => retryDelaySeconds(failedAttempts))).toEqual([60, 300, 1_800, 7_200, 28_800, undefined]);
  });
});
