import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { createBundle, csvFile, uploadFiles, validateBundle } from "../../test/bundles.ts";
import { prepareBundle, writeBundle } from "../../test/writing.ts";

const header = "source_id,name,insurance_provider,insurance_policy,insurance_expires";

test("an import updates the insurance that it has imported, and keeps all others of the vendor", async () => {
  const office = await anOffice();
  const importVendor = async (row: string) => {
    expect(await writeBundle(office, (await prepareBundle(office, { vendors: [header, row] })).id)).toMatchObject({ status: "completed" });
    const [vendor] = (await office.call("listVendors")).vendors;
    return { id: vendor!.id, policies: vendor!.insurances.map(({ kind, provider, policyNumber, expiresOn }) => [kind, provider, policyNumber, expiresOn]) };
  };
  const { id, policies } = await importVendor("V-1,Pipes,Example Mutual,PL-1,2026-06-30");
  expect(policies).toEqual([["liability", "Example Mutual", "PL-1", "2026-06-30"]]);
  const { insurances } = (await office.call("getVendor", { params: { id } })).vendor;
  const byHand = [
    { kind: "workers_comp" as const, provider: "Hand Inc", policyNumber: "WC-9", expiresOn: "2027-01-31", documentId: null },
    { kind: "liability" as const, provider: "Umbrella", policyNumber: "UM-3", expiresOn: "2027-02-28", documentId: null },
  ];
  await office.call("updateVendor", { params: { id }, body: { insurances: [...insurances, ...byHand] } });
  const kept = byHand.map(({ kind, provider, policyNumber, expiresOn }) => [kind, provider, policyNumber, expiresOn]);
  expect((await importVendor("V-1,Pipes,Example Mutual,PL-1,2027-06-30")).policies).toEqual([["liability", "Example Mutual", "PL-1", "2027-06-30"], ...kept]);
  expect((await importVendor("V-1,Pipes,Other Mutual,PL-2,2028-06-30")).policies).toEqual([["liability", "Other Mutual", "PL-2", "2028-06-30"], ...kept]);
});

test("an import without a policy number updates the insurance that it has imported, and keeps one entered by hand", async () => {
  const office = await anOffice();
  const { vendor } = await office.call("createVendor", {
    body: { name: "Pipes", insurances: [{ kind: "liability", provider: "Hand Inc", policyNumber: "L-7", expiresOn: "2026-12-31", documentId: null }] },
  });
  const importExpiry = async (trade: string, expires: string) => {
    const bundle = await prepareBundle(office, { vendors: ["source_id,name,trade,insurance_expires", `V-1,Pipes,${trade},${expires}`] });
    expect(await writeBundle(office, bundle.id)).toMatchObject({ status: "completed" });
    const { insurances } = (await office.call("getVendor", { params: { id: vendor.id } })).vendor;
    return insurances.map(({ policyNumber, expiresOn }) => `${policyNumber} ${expiresOn}`);
  };
  expect(await importExpiry("plumbing", "2026-12-31")).toEqual(["L-7 2026-12-31"]);
  expect(await importExpiry("plumbing", "2027-12-31")).toEqual(["L-7 2026-12-31", "Unknown 2027-12-31"]);
  expect(await importExpiry("plumbing", "2028-12-31")).toEqual(["L-7 2026-12-31", "Unknown 2028-12-31"]);
});

test("a vendor of AppFolio has the contact and the address of the directory, and a changed part of them", async () => {
  const office = await anOffice();
  const importVendors = async (...rows: string[]) => {
    const { id } = await createBundle(office, "appfolio", "vendors");
    await uploadFiles(office, id, csvFile("vendor_directory.csv", "Company Name,Name,Vendor ID,Street,City,State,Zip", ...rows));
    const { counts } = await validateBundle(office, id);
    await writeBundle(office, id);
    const { vendors } = await office.call("listVendors", { query: { sortBy: "name", sortDirection: "asc" } });
    return { counts, vendors: vendors.map(({ name, contactName, address }) => [name, contactName, address]) };
  };
  const company = 'Brightwater Plumbing,"Brightwater, Pat",7,3 Mill Road,Hartford,CT,06106';
  const person = ',"Hand, Harry",8,,Hartford,,';
  expect((await importVendors(company, person)).vendors).toEqual([
    ["Brightwater Plumbing", "Pat Brightwater", "3 Mill Road, Hartford, CT 06106"],
    ["Harry Hand", null, "Hartford"],
  ]);
  expect((await importVendors(company, person)).counts).toMatchObject({ unchanged: 2, ready_update: 0 });
  expect((await importVendors(company.replace("3 Mill", "4 Mill"), person)).vendors[0]).toEqual([
    "Brightwater Plumbing",
    "Pat Brightwater",
    "4 Mill Road, Hartford, CT 06106",
  ]);
});
