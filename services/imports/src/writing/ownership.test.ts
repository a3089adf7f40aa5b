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

test("the shares of an owner from different days are different records, and each day has its own", async () => {
  const office = await anOffice();
  const sheets = {
    owners: ["source_id,full_name,email", "O-1,Olga Owner,olga@example.com", "O-2,Otto Other,otto@example.com"],
    properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
    ownership: [
      "property_source_id,owner_source_id,share_percent,effective_date",
      "P-1,O-1,60,2020-01-01",
      "P-1,O-2,40,2020-01-01",
      "P-1,O-1,40,2022-01-01",
      "P-1,O-2,60,2022-01-01",
    ],
  };
  const bundle = await prepareBundle(office, sheets);
  expect(bundle.counts.byEntity["ownership"]).toEqual({ ready_create: 4 });
  expect(await writeBundle(office, bundle.id)).toMatchObject({ status: "completed" });
  const [property] = (await office.call("listProperties")).properties;
  const { history } = await office.call("getOwnership", { params: { id: property!.id } });
  const byDay = new Map(history.map(({ effectiveDate, shares }) => [effectiveDate, shares.map(({ shareBps }) => shareBps)]));
  expect(byDay).toEqual(
    new Map([
      ["2020-01-01", [6_000, 4_000]],
      ["2022-01-01", [4_000, 6_000]],
    ]),
  );
  expect((await prepareBundle(office, sheets)).counts.byEntity["ownership"]).toEqual({ unchanged: 4 });
});
