import { expect, test } from "@jest/globals";
import { leasesOfRow } from "./lease-of-row.rules.ts";

const past = {
  id: "past",
  tenantNames: "Old Tenant",
  tenantEmails: "old@example.com",
  tenantTarget: "t-old",
  startDate: "2025-01-01",
  endDate: "2025-12-31",
  isActive: false,
};
const present = {
  id: "present",
  tenantNames: "Sam Hill Ada Hill",
  tenantEmails: "sam@example.com",
  tenantTarget: "t-sam",
  startDate: "2026-01-01",
  endDate: null,
  isActive: true,
};

test.each([
  ["a charge of a day of the past lease", "charge", { date: "2025-06-01" }, ["past"]],
  ["a charge of today", "charge", { date: "2026-06-01" }, ["present"]],
  ["a payment of the former tenant after the move-out", "payment", { received_date: "2026-02-01", tenant_name: "Tenant, Old" }, ["past"]],
  ["a payment of somebody who is on neither lease", "payment", { received_date: "2026-02-01", tenant_name: "Bo Holm" }, ["present"]],
  ["a charge before both leases", "charge", { date: "2024-12-01" }, ["present"]],
  ["a balance without a tenant", "opening_balance", {}, ["present"]],
  ["a balance of the former tenant", "opening_balance", { tenant_name: "Old Tenant" }, ["past"]],
  ["a deposit of somebody who is on neither lease", "deposit", { tenant_name: "Bo Holm" }, []],
  ["a deposit of the former tenant by e-mail", "deposit", { tenant_email: "old@example.com" }, ["past"]],
] as const)("%s is that of: %j %j %j", (_, entityType, data, expected) => {
  expect(leasesOfRow([past, present], { entityType, data }).map(({ id }) => id)).toEqual(expected);
});

test("a payment whose payer is named by id is that of the payer's lease", () => {
  const row = { entityType: "payment" as const, data: { received_date: "2026-02-01" }, tenantTarget: "t-old" };
  expect(leasesOfRow([past, present], row).map(({ id }) => id)).toEqual(["past"]);
});

test("money of one tenant with several leases of the unit is that of the active one, whatever its day", () => {
  const former = { ...past, id: "former", tenantNames: "Hill, Sam" };
  const row = { entityType: "charge" as const, data: { date: "2025-06-01" } };
  expect(leasesOfRow([former, present], row).map(({ id }) => id)).toEqual(["present"]);
});
