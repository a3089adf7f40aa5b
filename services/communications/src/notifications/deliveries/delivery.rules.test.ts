import { describe, expect, test } from "@jest/globals";
import { decideDelivery } from "./delivery.rules.ts";

const quietUntil = new Date("2026-06-01T11:00:00Z");
const due = {
  channel: "email",
  priority: "normal",
  isRead: false,
  preference: { channels: ["in_app", "email"], deliveryMode: "immediate" },
  quietUntil: null,
  countsUntil: null,
} as const;
const digest = { ...due.preference, deliveryMode: "daily_digest" } as const;

describe("decideDelivery", () => {
  test.each([
    ["sends", due, { action: "send" }],
    ["waits for the end of the quiet hours", { ...due, quietUntil }, { action: "wait", until: quietUntil }],
    ["waits with a high priority", { ...due, priority: "high", quietUntil }, { action: "wait", until: quietUntil }],
    ["waits while the notification counts events", { ...due, countsUntil: quietUntil }, { action: "wait", until: quietUntil }],
    ["sends an urgent one during the quiet hours", { ...due, priority: "urgent", quietUntil }, { action: "send" }],
    ["skips what was read", { ...due, isRead: true }, { action: "skip", reason: "read" }],
    ["skips a channel that was turned off", { ...due, channel: "sms" }, { action: "skip", reason: "turned_off" }],
    ["moves an e-mail to the digest", { ...due, preference: digest }, { action: "digest" }],
    ["sends a text message beside a digest", { ...due, channel: "sms", preference: { ...digest, channels: ["sms", "email"] } }, { action: "send" }],
  ] as const)("%s", (_, delivery, decision) => expect(decideDelivery(delivery)).toEqual(decision));
});
