import { roles } from "@freehold/contract/roles";
import { describe, expect, test } from "@jest/globals";
import { chargeOverdue, inviteAccepted, paymentReceived } from "./notification-content.rules.ts";

describe("paymentReceived", () => {
  test("addresses the tenant about their own payment, and others about a tenant's", () => {
    expect(paymentReceived("tenant").body).toBe("Your payment was recorded.");
    for (const role of roles.filter((each) => each !== "tenant")) expect(paymentReceived(role).body).toBe("A tenant's payment was recorded.");
  });
});

describe("chargeOverdue", () => {
  test("names the due date and has high priority", () => {
    expect(chargeOverdue("2026-11-01")).toEqual({
      title: "Charge overdue",
      body: "A charge that was due on 2026-11-01 has not been paid.",
      priority: "high",
    });
  });
});

describe("inviteAccepted", () => {
  test.each(["user", "tenant", "owner", "vendor"] as const)("is one sentence for a %s", (kind) => {
    expect(inviteAccepted(kind).body).toMatch(/^An? \w+ accepted the invite [\w ]+\.$/);
  });
});
