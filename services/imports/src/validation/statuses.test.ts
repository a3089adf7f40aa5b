/** Every status of a candidate, produced by one row each in the files of each provider. */
import { expect, test } from "@jest/globals";
import { candidateStatuses, type ImportProvider } from "@freehold/contract/imports/import-bundles";
import { anOffice } from "../../../../test/support/office.ts";
import { createReadyBundle, csvFile, listAllCandidates } from "../../test/bundles.ts";

/** Cells of each row in the order of the columns below, and the expected status. */
const vendors: [id: string, name: string, trade: string, email: string, phone: string, status: string][] = [
  ["V-1", "New Vendor", "Plumbing", "new@example.com", "(518) 555-0101", "ready_create"],
  ["V-2", "Known Vendor", "Roofing", "known@example.com", "(518) 555-0102", "ready_update"],
  ["V-3", "Same Vendor", "Roofing", "same@example.com", "(518) 555-0103", "unchanged"],
  ["V-4", "Twice Named", "Roofing", "twice@example.com", "", "ready_create"],
  ["V-4", "Twice Named", "Roofing", "", "(518) 555-0104", "duplicate_merged"],
  ["V-5", "One Of Two", "Roofing", "", "", "ambiguous"],
  ["V-6", "", "Roofing", "nameless@example.com", "", "missing_source_data"],
  ["V-7", "Wrong Vendor", "Roofing", "nowhere", "", "invalid"],
  ["V-8", "Not Wanted", "Roofing", "unwanted@example.com", "", "excluded"],
];
const property = ["P-1", "Maple Court", "", "Albany", "NY", "12207"];
const unit = ["U-1", "P-1", "1A", "900.00"];

type FileFormat = readonly [file: string, header: readonly string[]];
/** File and column names of vendors, properties and units by provider. */
const fileFormats: Record<ImportProvider, readonly [FileFormat, FileFormat, FileFormat]> = {
  generic: [
    ["vendors.csv", ["source_id", "name", "trade", "email", "phone"]],
    ["properties.csv", ["source_id", "name", "street_line1", "city", "state", "postal_code"]],
    ["units.csv", ["source_id", "property_source_id", "unit_number", "monthly_rent"]],
  ],
  appfolio: [
    ["vendor_directory.csv", ["Vendor ID", "Company Name", "Vendor Trades", "Email", "Phone Numbers"]],
    ["property_directory.csv", ["Property ID", "Property Name", "Property Street Address 1", "Property City", "Property State", "Property Zip"]],
    ["unit_directory.csv", ["Unit ID", "Property ID", "Unit Name", "Market Rent"]],
  ],
  buildium: [
    ["vendors.csv", ["Id", "CompanyName", "Category", "Email", "Phone"]],
    ["properties.csv", ["Id", "Name", "AddressLine1", "City", "State", "PostalCode"]],
    ["units.csv", ["Id", "PropertyId", "UnitNumber", "MarketRent"]],
  ],
};

test.each(Object.entries(fileFormats))("the files of %s produce every status", async (provider, [vendorFile, propertyFile, unitFile]) => {
  const office = await anOffice();
  for (const [name, email, phone] of [
    ["Known Vendor", "known@example.com", "518-555-0199"],
    ["Same Vendor", "same@example.com", "518-555-0103"],
    ["One Of Two", "first@example.com", "518-555-0105"],
    ["One Of Two", "second@example.com", "518-555-0106"],
  ] as const)
    await office.call("createVendor", { body: { name, trade: "Roofing", email, phone } });
  const { id } = await createReadyBundle(
    office,
    provider as ImportProvider,
    csvFile(vendorFile[0], vendorFile[1], ...vendors.map((row) => row.slice(0, 5))),
    csvFile(propertyFile[0], propertyFile[1], property),
    csvFile(unitFile[0], unitFile[1], unit),
  );
  const unwanted = (await listAllCandidates(office, id)).find(({ sourceId }) => sourceId === "V-8")!;
  const { importBundle } = await office.call("resolveImportCandidate", { params: { id, candidateId: unwanted.id }, body: { action: "exclude" } });
  const candidates = await listAllCandidates(office, id);
  expect(candidates.map(({ sourceId, status }) => [sourceId, status])).toEqual([
    ...vendors.map((row) => [row[0], row[5]]),
    ["P-1", "missing_source_data"],
    ["U-1", "blocked"],
  ]);
  expect(new Set(candidates.map(({ status }) => status))).toEqual(new Set(candidateStatuses));
  expect(candidateStatuses.map((status) => importBundle.counts[status])).toEqual(
    candidateStatuses.map((status) => candidates.filter((each) => each.status === status).length),
  );
  expect(candidates.find(({ status }) => status === "ready_update")!.changes).toEqual([{ field: "phone", from: "+15185550199", to: "+15185550102" }]);
  expect(candidates.find(({ status }) => status === "blocked")!.blockedBy).toEqual([candidates.find(({ sourceId }) => sourceId === "P-1")!.id]);
});
