/** Rows of units that have changed since their last import. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { listAllCandidates } from "../../../test/bundles.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../../test/writing.ts";

const sheetsWith = (property: string, marketRent = "1000.00", name = "Maple Court"): Sheets => ({
  properties: [
    "source_id,name,street_line1,city,state,postal_code",
    `P-1,${name},12 Maple Street,Albany,NY,12207`,
    "P-2,Oak House,7 Oak Street,Albany,NY,12207",
    ...(property === "P-3" ? ["P-3,Elm House,1 Elm Street,Albany,NY,12207"] : []),
  ],
  units: ["source_id,property_source_id,unit_number,market_rent", `U-1,${property},1,${marketRent}`],
});

test.each(["P-2", "P-3"])("a unit that its row moves to the property %s is an error that says what to do, and nothing is written", async (property) => {
  const office = await anOffice();
  await writeBundle(office, (await prepareBundle(office, sheetsWith("P-1"))).id);
  const { id } = await prepareBundle(office, sheetsWith(property));
  const [unit] = await listAllCandidates(office, id, { entityType: "unit" });
  expect(unit).toMatchObject({ status: "invalid", errors: [{ path: "property_source_id", code: "not_allowed" }] });
  const remedy = /^An import does not move a unit to another property: property_source_id was P-1 and is P-\d\. For a unit of the other property, add a row/;
  expect(unit!.errors[0]!.message).toMatch(remedy);
  expect((await prepareBundle(office, sheetsWith("P-1", "1000.00", "Maple Gardens"))).counts.byEntity).toMatchObject({
    property: { ready_update: 1 },
    unit: { unchanged: 1 },
  });
});

test("a changed market rent changes the market rent only", async () => {
  const office = await anOffice();
  await writeBundle(office, (await prepareBundle(office, sheetsWith("P-1"))).id);
  expect((await office.call("listUnits")).units).toMatchObject([{ marketRentCents: 100_000, monthlyRentCents: 100_000 }]);
  expect(await writeBundle(office, (await prepareBundle(office, sheetsWith("P-1", "1600.00"))).id)).toMatchObject({ status: "completed" });
  expect((await office.call("listUnits")).units).toMatchObject([{ marketRentCents: 160_000, monthlyRentCents: 100_000 }]);
});
