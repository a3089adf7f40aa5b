import { describe, expect, test } from "@jest/globals";
import { initialDelivery, retryDelaySeconds } from "./message.rules.ts";

describe("initialDelivery", () => {
  test.each([
    ["email", true, false, { provider: "smtp", status: "queued", error: null }],
    ["email", true, true, { provider: "smtp", status: "queued", error: null }],
    ["email", false, true, { provider: "outbox", status: "sent", error: null }],
    ["email", false, false, { provider: "smtp", status: "skipped", error: "not_configured" }],
    ["sms", true, true, { provider: "sms", status: "skipped", error: "not_configured" }],
    ["sms", false, false, { provider: "sms", status: "skipped", error: "not_configured" }],
  ] as const)("of %s with mail server %s and development outbox %s is %j", (channel, mailServer, devOutbox, expected) => {
    expect(initialDelivery(channel, { mailServer, devOutbox })).toEqual(expected);
  });
});

describe("retryDelaySeconds", () => {
  test("increases over five retries and is undefined after the sixth failed attempt", () => {
    expect([1, 2, 3, 4, 5, 6].map((failedAttempts) => retryDelaySeconds(failedAttempts))).toEqual([60, 300, 1_800, 7_200, 28_800, undefined]);
  });
});
