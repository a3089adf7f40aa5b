/** Columns and cells whose money could be read in two ways: a person decides, instead of a guess. */
import { expect, test } from "@jest/globals";
import { missingFields } from "../providers/forms.ts";
import { detectForm } from "./map-columns.ts";

const detect = (fileName: string, cells: Record<string, string>) => detectForm("generic", fileName, Object.keys(cells), [Object.values(cells)])!;
const lease = { Property: "Maple", Unit: "1", Tenant: "Sam Hill", "Lease From": "1/1/2026", "Lease To": "12/31/2026", Rent: "1000.00" };

test.each([
  ["Deposit", "Deposit Held"],
  ["Security Deposit", "Deposit Paid"],
  ["Opening Balance", "Current Balance"],
])("two columns that mean the same money are left to a person: %s and %s", (one, other) => {
  const { mapping } = detect("leases.csv", { ...lease, [one]: "900.00", [other]: "400.00" }).mapped;
  expect([mapping[one], mapping[other]]).toEqual([null, null]);
});

test("what is past due counts, and not the bill of the month beside it", () => {
  const { mapping } = detect("leases.csv", { ...lease, "Total Due": "1050.00", "Past Due": "50.00" }).mapped;
  expect([mapping["Total Due"], mapping["Past Due"]]).toEqual([null, "balance"]);
});

test("a list of transactions without ids is no list of payments that can be imported", () => {
  const { form, mapped } = detect("transactions.csv", {
    Date: "2026-01-03",
    Property: "Maple",
    Unit: "1",
    Tenant: "Sam Hill",
    Type: "Charge",
    Amount: "1000.00",
  });
  expect(missingFields(form, mapped.mapping)).toContain("method|check_number|source_id");
  expect(mapped.columnConfidence["Type"] ?? 0).toBeLessThan(0.8);
});
