import { describe, expect, test } from "@jest/globals";
import { retryDelaySeconds, initialDelivery } from "./message.rules.ts";

describe("placement", () => {
  test.each([
    ["email", true, false, { provider: "smtp", status: "queued", error: null }],
    ["email", true, true, { provider: "smtp", status: "queued", error: null }],
    ["email", false, true, { provider: "outbox", status: "sent", error: null }],
    ["email", false, false, { provider: "smtp", status: "skipped", error: "not_configured" }],
    ["sms", true, true, { provider: "sms", status: "skipped", error: "not_configured" }],
    ["sms", false, false, { provider: "sms", status: "skipped", error: "not_configured" }],
  ] as const)("an %s with a mail server %s and an outbox %s goes by %j", (channel, mailServer, outbox, way) => {
    expect(initialDelivery(channel, { mailServer, outbox })).toEqual(way);
  });
});

describe("pauseAfter", () => {
  test("waits longer each time and then gives up", () => {
    expect([1, 2, 3, 4, 5, 6].map(retryDelaySeconds)).toEqual([60, 300, 1_800, 7_200, 28_800, undefined]);
  });
});
