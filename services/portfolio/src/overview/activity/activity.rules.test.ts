import { describe, expect, test } from "@jest/globals";
import { referencedIds, activitySummary } from "./activity.rules.ts";

const idsOf = (entityType: string, data: Record<string, unknown>) => referencedIds({ entityType, entityId: "own", data });

describe("referencedIds", () => {
  test.each([
    ["property", {}, { propertyId: "own" }],
    ["unit", { propertyId: "p" }, { propertyId: "p", unitId: "own" }],
    ["lease", { leaseId: "own", propertyId: "p", tenantId: "t", unitId: "u" }, { leaseId: "own", propertyId: "p", tenantId: "t", unitId: "u" }],
    ["payment", { tenantId: "t", leaseId: null }, { tenantId: "t", leaseId: null, propertyId: null }],
    ["note", { entityType: "tenant", entityId: "t" }, { tenantId: "t", target: { type: "tenant", id: "t" } }],
    ["document", { entityType: "work_order", entityId: "w" }, { propertyId: null, target: { type: "work_order", id: "w" } }],
    ["invite", { kind: "tenant", subjectId: "t" }, { tenantId: "t", target: { type: "invite", id: "own" } }],
    ["invite", { kind: "owner", subjectId: "o" }, { tenantId: null }],
  ])("of a %s event with %j", (type, data, expected) => {
    expect(idsOf(type, data)).toMatchObject(expected);
  });
});

describe("activitySummary", () => {
  test.each([
    ["payment.received", null, "A payment was recorded."],
    ["work_order.transitioned", "in_progress", "A work order was started."],
    ["work_order.transitioned", "completed", "A work order was completed."],
    ["lease.activated", "active", "A lease was activated."],
    ["lease.activated", "pending", "A lease was activated; it starts on its first day."],
    ["lease.updated", "cancelled", "A lease was cancelled."],
    ["lease.updated", "active", "A lease changed."],
    ["lease.expired", null, "A lease expired on its last day."],
    ["recurring_charge.updated", "paused", "A recurring charge became paused."],
  ] as const)("of %s with the status %s is %j", (type, status, summary) => {
    expect(activitySummary(type, status)).toBe(summary);
  });
});
