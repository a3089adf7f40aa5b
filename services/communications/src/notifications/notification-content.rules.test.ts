import { describe, expect, test } from "@jest/globals";
import { collectedContent, singleContent } from "./notification-content.rules.ts";

describe("collectedContent", () => {
  test.each([
    ["payment.received", 1, { title: "Payment received", body: "A tenant's payment was recorded.", priority: "normal" }],
    ["payment.received", 12, { title: "12 payments received", body: "12 payments received.", priority: "normal" }],
    ["charge.overdue", 1, { title: "Charge overdue", body: "A charge has not been paid by its due date.", priority: "high" }],
    ["charge.overdue", 3, { title: "3 charges overdue", body: "3 charges overdue.", priority: "high" }],
    ["invite.accepted", 2, { title: "2 invites accepted", body: "2 invites accepted.", priority: "normal" }],
  ])("of %s counts %i, without amounts and names", (type, count, content) => expect(collectedContent(type, count)).toEqual(content));
});

describe("singleContent", () => {
  test("has the title and priority of the catalogue", () =>
    expect(singleContent("payment.reversed", "Your payment was reversed.")).toEqual({
      title: "Payment reversed",
      body: "Your payment was reversed.",
      priority: "high",
    }));
});
