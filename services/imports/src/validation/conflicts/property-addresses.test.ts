/** Properties of one name: those at different addresses are never one record. */
import { describe, expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { createBundle, csvFile, listAllCandidates, uploadFiles, validateBundle } from "../../../test/bundles.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../../test/writing.ts";
import { haveDifferentAddresses } from "./property-addresses.rules.ts";

const HEADER = "Property Name,Address,City,State,ZIP Code";
const first = "Oak House,1 First St,Salem,OR,97301";
const last = "Oak House,99 Last St,Portland,OR,97205";

test("two rows of one name at two addresses are errors that name both rows, and their units are not written", async () => {
  const office = await anOffice();
  const sheets: Sheets = {
    properties: [HEADER, first, last, "Elm House,5 Elm St,Salem,OR,97301"],
    units: ["Property,Unit #,Rent", "Oak House,1,1000", "Elm House,1,1000"],
  };
  const { id, counts } = await prepareBundle(office, sheets);
  expect(counts.byEntity).toEqual({ property: { invalid: 2, ready_create: 1 }, unit: { invalid: 1, ready_create: 1 } });
  const [candidate] = await listAllCandidates(office, id, { entityType: "property", status: "invalid" });
  expect(candidate!.errors).toMatchObject([{ path: "source_id", code: "unique", message: expect.stringContaining("The rows 2, 3 ") }]);
  await writeBundle(office, id);
  expect((await office.call("listProperties")).properties.map(({ name }) => name)).toEqual(["Elm House"]);
});

test("two sections of a rent roll with one name and two addresses are errors", async () => {
  const office = await anOffice();
  const { id } = await createBundle(office, "appfolio");
  const section = (address: string) => `"Birch Row - ${address}",,,,,,,,`;
  const row = (unit: string, tenant: string) => `${unit},"${tenant}",Current,"1,000.00",900.00,01/01/2026,12/31/2099,01/01/2026,0.00`;
  const header = "Unit,Tenant,Status,Rent,Deposit,Lease From,Lease To,Move-in,Past Due";
  const lines = [section("40 Birch Ave Salem, OR 97301"), row("1", "Sample, Sam"), section("9 Elm St Portland, OR 97205"), row("A", "Ruiz, Ana")];
  await uploadFiles(office, id, csvFile("rent_roll.csv", header, ...lines));
  expect((await validateBundle(office, id)).counts.byEntity["property"]).toEqual({ invalid: 2 });
});

test("a property of another bundle with the name and another town and street is an error until it is resolved, and a corrected street is an update", async () => {
  const office = await anOffice();
  await writeBundle(office, (await prepareBundle(office, { properties: [HEADER, first] })).id);
  const { id, counts } = await prepareBundle(office, { properties: [HEADER, last] });
  expect(counts.byEntity).toEqual({ property: { invalid: 1 } });
  const [candidate] = await listAllCandidates(office, id);
  expect(candidate!.errors[0]!.message).toContain("was imported at 1 First St, Salem, and this row is at 99 Last St, Portland");
  const entityId = (await office.call("listProperties")).properties[0]!.id;
  const resolved = await office.call("resolveImportCandidate", { params: { id, candidateId: candidate!.id }, body: { action: "match", entityId } });
  expect(resolved.candidate.status).toBe("ready_update");
  const corrected = await prepareBundle(office, { properties: [HEADER, first.replace("1 First St", "11 First Street")] });
  expect(corrected.counts.byEntity).toEqual({ property: { ready_update: 1 } });
});

describe("two addresses", () => {
  const address = (street_line1: string, postal_code: string, city = "Salem") => ({ street_line1, city, postal_code });
  test.each([
    ["12 Maple Street", "12 Maple St.", "97301", "97301", false],
    ["12-14 Maple St", "12 Maple St", "97301", "97301-1234", false],
    ["12 Maple St", "14 Maple St", "97301", "97301", true],
    ["12 Maple St", "12 Maple St", "97301", "97205", true],
  ])("%s and %s in %s and %s are different: %s", (one, other, oneCode, otherCode, expected) => {
    expect(haveDifferentAddresses(address(one, oneCode), address(other, otherCode))).toBe(expected);
  });
});
