import { roles } from "@freehold/contract/roles";
import { describe, expect, test } from "@jest/globals";
import { chargeOverdueContent, inviteAcceptedContent, paymentReceivedContent } from "./notification-content.rules.ts";

describe("paymentReceivedContent", () => {
  test("addresses the tenant about their own payment, and others about a tenant's", () => {
    expect(paymentReceivedContent("tenant").body).toBe("Your payment was recorded.");
    for (const role of roles.filter((each) => each !== "tenant")) expect(paymentReceivedContent(role).body).toBe("A tenant's payment was recorded.");
  });
});

describe("chargeOverdueContent", () => {
  test("names the due date and has high priority", () => {
    expect(chargeOverdueContent("2026-11-01")).toEqual({
      title: "Charge overdue",
      body: "A charge that was due on 2026-11-01 has not been paid.",
      priority: "high",
    });
  });
});

describe("inviteAcceptedContent", () => {
  test.each(["user", "tenant", "owner", "vendor"] as const)("is one sentence for a %s", (kind) => {
    expect(inviteAcceptedContent(kind).body).toMatch(/^An? \w+ accepted the invite [\w ]+\.$/);
  });
});
