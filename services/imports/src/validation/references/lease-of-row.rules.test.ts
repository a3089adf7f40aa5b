import { expect, test } from "@jest/globals";
import { leasesOfRow } from "./lease-of-row.rules.ts";

const past = { id: "past", tenantNames: "Old Tenant", startDate: "2025-01-01", endDate: "2025-12-31", isActive: false };
const present = { id: "present", tenantNames: "Sam Hill Ada Hill", startDate: "2026-01-01", endDate: null, isActive: true };

test.each([
  ["a charge of a day of the past lease", "charge", { date: "2025-06-01" }, ["past"]],
  ["a charge of today", "charge", { date: "2026-06-01" }, ["present"]],
  ["a payment of the former tenant after the move-out", "payment", { received_date: "2026-02-01", tenant_name: "Tenant, Old" }, ["past"]],
  ["a payment of somebody who is on neither lease", "payment", { received_date: "2026-02-01", tenant_name: "Bo Holm" }, ["present"]],
  ["a charge before both leases", "charge", { date: "2024-12-01" }, ["present"]],
  ["a balance without a tenant", "opening_balance", {}, ["present"]],
  ["a balance of the former tenant", "opening_balance", { tenant_name: "Old Tenant" }, ["past"]],
  ["a deposit of somebody who is on neither lease", "deposit", { tenant_name: "Bo Holm" }, []],
] as const)("%s is that of: %j %j %j", (_, entityType, data, expected) => {
  expect(leasesOfRow([past, present], { entityType, data }).map(({ id }) => id)).toEqual(expected);
});
