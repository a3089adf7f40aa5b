/** Rents of units in rent rolls with the history of their leases. */
import { expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { createBundle, csvFile, uploadFiles, validateBundle } from "../../../test/bundles.ts";
import { NAMESPACE, writeBundle } from "../../../test/writing.ts";

const DAY = today("America/New_York");
const PROPERTIES = csvFile("properties.csv", "Name,AddressLine1,City,State,PostalCode", "Maple Court,12 Maple Street,Albany,NY,12207");
const leaseRow = (unit: string, tenant: string, from: number, to: number, rent: string) =>
  `Maple Court,${unit},${tenant},${addDays(DAY, from)},${addDays(DAY, to)},${rent}`;
const ROWS = [
  leaseRow("101", "Old Tenant", -2000, -1600, "700.00"),
  leaseRow("101", "Sam Sample", -200, 165, "1000.00"),
  leaseRow("101", "Next Tenant", 166, 530, "1200.00"),
  leaseRow("102", "First Tenant", -2000, -1600, "600.00"),
  leaseRow("102", "Last Tenant", -1500, -1100, "650.00"),
];

async function prepareRoll(office: Office, rows: readonly string[]) {
  const { id } = await createBundle(office, "buildium", NAMESPACE);
  await uploadFiles(office, id, PROPERTIES, csvFile("rent_roll.csv", "Property,Unit,Tenants,Lease Start,Lease End,Rent", ...rows));
  return validateBundle(office, id);
}

test.each([
  ["in order of their days", ROWS],
  ["in the opposite order", ROWS.toReversed()],
])("a unit has the rent of its lease in force, or of its last one, whatever the order of the rows: %s", async (_, rows) => {
  const office = await anOffice();
  expect(await writeBundle(office, (await prepareRoll(office, rows)).id)).toMatchObject({ status: "completed" });
  const { units } = await office.call("listUnits");
  expect(Object.fromEntries(units.map(({ unitNumber, monthlyRentCents }) => [unitNumber, monthlyRentCents]))).toEqual({ 101: 100_000, 102: 65_000 });
  expect((await prepareRoll(office, rows.toReversed())).counts).toMatchObject({ ready_create: 0, ready_update: 0, invalid: 0 });
});
