import { roles } from "@freehold/contract/roles";
import { describe, expect, test } from "@jest/globals";
import { chargeOverdueContent, inviteAcceptedContent, paymentReceivedContent } from "./notification-content.rules.ts";

describe("paymentReceivedContent", () => {
  test("says 'your payment' to the tenant, and 'a tenant's payment' to every other role", () => {
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
  test.each([
    ["user", "A colleague accepted the invite and joined the organization."],
    ["tenant", "A tenant accepted the invite to the portal."],
    ["owner", "An owner accepted the invite to the portal."],
    ["vendor", "A vendor accepted the invite to the portal."],
  ] as const)("names the kind of invite (%s) but no person", (kind, body) => {
    expect(inviteAcceptedContent(kind).body).toBe(body);
  });
});
