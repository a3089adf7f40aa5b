/** Writing of ownership: all shares of a property as one operation, wherever the file has them. */
import { expect, test } from "@jest/globals";
import { eventually } from "../../../../test/support/eventually.ts";
import { anOffice } from "../../../../test/support/office.ts";
import { withFault } from "../../test/faults.ts";
import { prepareBundle, writeBundle } from "../../test/writing.ts";

const PROPERTY_COUNT = 450;
const numbers = Array.from({ length: PROPERTY_COUNT }, (_, index) => index + 1);

test("the shares of many properties are written in chunks, each property with the shares that the file has further down", async () => {
  const office = await anOffice();
  // The first owner has one basis point more of the last property, which identifies its operation.
  const firstShare = (n: number) => (n === PROPERTY_COUNT ? "61.01" : "60");
  const bundle = await prepareBundle(office, {
    owners: ["source_id,full_name,email", "O-1,Olga Owner,olga@example.com", "O-2,Otto Other,otto@example.com"],
    properties: ["source_id,name,street_line1,city,state,postal_code", ...numbers.map((n) => `P-${n},House ${n},${n} Elm Street,Albany,NY,12207`)],
    ownership: [
      "property_source_id,owner_source_id,share_percent,effective_date",
      ...numbers.map((n) => `P-${n},O-1,${firstShare(n)},2024-01-01`),
      ...numbers.map((n) => `P-${n},O-2,${n === PROPERTY_COUNT ? "38.99" : "40"},2024-01-01`),
    ],
  });
  const before = 2 + PROPERTY_COUNT;
  await withFault("portfolio", { table: "property_share", when: "new.share_bps = 6101", errcode: "55P03" }, async () => {
    await office.call("startImportBundle", { params: { id: bundle.id } });
    // While the last property cannot be written, the first chunk is committed: its 400 rows and the other shares of their properties.
    await eventually("first chunk", async () => {
      const { processed } = (await office.call("getImportBundle", { params: { id: bundle.id } })).importBundle.progress;
      return processed === before + 800;
    });
  });
  const completed = await writeBundle(office, bundle.id);
  expect([completed.status, completed.progress.processed]).toEqual(["completed", before + 2 * PROPERTY_COUNT]);
  const { properties } = await office.call("listProperties", { query: { pageSize: 100, sortBy: "name" } });
  for (const { id } of properties.slice(0, 10)) {
    const { ownership } = await office.call("getOwnership", { params: { id } });
    expect(ownership.shares.map(({ shareBps }) => shareBps).toSorted((a, b) => a - b)).toEqual([4_000, 6_000]);
  }
}, 180_000);
