/** A property has one unit of a number: the dry run finds the second row with it. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { listAllCandidates, validateBundle } from "../../test/bundles.ts";
import { prepareBundle, writeBundle } from "../../test/writing.ts";

test("the second row of a unit number in a property is invalid, unless the first is excluded", async () => {
  const office = await anOffice();
  const { id } = await prepareBundle(office, {
    properties: [
      "source_id,name,street_line1,city,state,postal_code",
      "P-1,Maple Court,12 Maple Street,Albany,NY,12207",
      "P-2,Oak House,7 Oak Street,Albany,NY,12207",
    ],
    units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1a,900.00", "U-2,P-2,1A,900.00", "U-3,P-1,1A,900.00", "U-4,P-1,1-A,900.00"],
  });
  const units = () => listAllCandidates(office, id, { entityType: "unit" });
  const statuses = async () => (await units()).map(({ status }) => status);
  expect(await statuses()).toEqual(["ready_create", "ready_create", "invalid", "ready_create"]);
  const [first, , taken] = await units();
  expect(taken!.errors).toMatchObject([{ path: "unit_number", code: "unique", message: expect.stringMatching(/^Row 2 has the same unit_number/) }]);
  await office.call("resolveImportCandidate", { params: { id, candidateId: first!.id }, body: { action: "exclude" } });
  await validateBundle(office, id);
  expect(await statuses()).toEqual(["excluded", "ready_create", "ready_create", "ready_create"]);
});

test("units that take the numbers of others in one file are renumbered, and a new row with a number that becomes free is a new unit", async () => {
  const office = await anOffice();
  const units = (...rows: string[]) => ({
    properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
    units: ["source_id,property_source_id,unit_number,monthly_rent", ...rows.map((row) => `${row},900.00`)],
  });
  await writeBundle(office, (await prepareBundle(office, units("U-1,P-1,1", "U-2,P-1,2", "U-3,P-1,3"))).id);
  const idsOf = async () => {
    const { units: all } = await office.call("listUnits", { query: { sortBy: "unitNumber", sortDirection: "asc" } });
    return new Map(all.map(({ unitNumber, id }) => [unitNumber, id]));
  };
  const before = await idsOf();
  const renumbered = units("U-9,P-1,1", "U-1,P-1,2", "U-2,P-1,3", "U-3,P-1,3A");
  const { id, counts } = await prepareBundle(office, renumbered);
  expect(counts.byEntity["unit"]).toEqual({ ready_create: 1, ready_update: 3 });
  expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
  const after = await idsOf();
  expect([after.get("2"), after.get("3"), after.get("3A"), after.size]).toEqual([before.get("1"), before.get("2"), before.get("3"), 4]);
  expect((await prepareBundle(office, renumbered)).counts.byEntity["unit"]).toEqual({ unchanged: 4 });
});
