/** Bundles with the same rows that were validated before either was written. */
import { expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { closingBalances } from "../../../../test/support/tenancy.ts";
import { createBundle, csvFile, listAllCandidates, listEvents, queryImportsDatabase, uploadFiles, validateBundle, waitForBundle } from "../../test/bundles.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const sheets = {
  properties: ["source_id,name,asset_class,street_line1,city,state,postal_code", "P-1,Maple Court,residential,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent,status", "U-1,P-1,1A,1200.00,occupied"],
  tenants: ["source_id,full_name,email", "T-1,Tess Tenant,tess@example.com"],
  leases: [
    "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,rent,rent_charge_day",
    "L-1,U-1,T-1,month_to_month,active,2024-03-01,1200.00,1",
  ],
  deposits: ["lease_source_id,amount_held,holder,received_date", "L-1,1200.00,manager,2024-03-01"],
  charges: ["source_id,lease_source_id,date,due_date,type,label,amount", "C-1,L-1,2026-02-01,2026-02-01,rent,February rent,1200.00"],
  payments: ["source_id,lease_source_id,tenant_source_id,received_date,amount,method", "M-1,L-1,T-1,2026-02-03,900.00,check"],
} satisfies Sheets;
const ROW_COUNT = 7;

test("a bundle with rows that another one has written meanwhile is validated again by itself, and writes none of them twice", async () => {
  const office = await anOffice();
  const first = await prepareBundle(office, sheets);
  const changed = await prepareBundle(office, { ...sheets, tenants: ["source_id,full_name,email", "T-1,Tess Tenant,tess@new.example.com"] });
  const unrelated = await prepareBundle(office, { vendors: ["source_id,name,trade", "V-1,Brightwater Plumbing,plumbing"] });
  expect(changed.counts).toMatchObject({ ready_create: ROW_COUNT });
  await writeBundle(office, first.id);
  const balances = await closingBalances(office);

  const { counts } = await waitForBundle(office, changed.id, "ready");
  expect(counts).toMatchObject({ ready_create: 0, ready_update: 1, unchanged: ROW_COUNT - 1 });
  expect(await writeBundle(office, changed.id)).toMatchObject({ status: "completed" });
  expect(await closingBalances(office)).toEqual(balances);
  expect((await office.call("listTenants")).tenants).toMatchObject([{ email: "tess@new.example.com" }]);
  const { total } = await office.call("listLeases");
  expect(total).toBe(1);
  expect((await listEvents(office, unrelated.id)).filter(({ data }) => data["status"] === "inspecting").length).toBe(1);
});

test("a row that was to be created in two bundles by decision is created once", async () => {
  const office = await anOffice();
  for (const fullName of ["Sam Sample", "Sam Sample"]) await office.call("createTenant", { body: { fullName } });
  const tenants = { tenants: ["source_id,full_name", "T-1,Sam Sample"] };
  const bundles = [await prepareBundle(office, tenants), await prepareBundle(office, tenants)];
  for (const { id } of bundles) {
    const [candidate] = await listAllCandidates(office, id);
    expect(candidate!.status).toBe("ambiguous");
    await office.call("resolveImportCandidate", { params: { id, candidateId: candidate!.id }, body: { action: "create" } });
  }
  await writeBundle(office, bundles[0]!.id);
  expect((await waitForBundle(office, bundles[1]!.id, "ready")).counts).toMatchObject({ ready_create: 0, unchanged: 1 });
  await writeBundle(office, bundles[1]!.id);
  expect((await office.call("listTenants")).total).toBe(3);
});

test("a bundle of which another one has only unchanged rows is not validated again", async () => {
  const office = await anOffice();
  const tenants = ["source_id,full_name", "T-1,Tess Tenant"];
  await writeBundle(office, (await prepareBundle(office, { tenants })).id);
  const same = await prepareBundle(office, { tenants, vendors: ["source_id,name,trade", "V-1,Brightwater Plumbing,plumbing"] });
  const ready = await prepareBundle(office, { tenants });
  await writeBundle(office, same.id);
  expect((await listEvents(office, ready.id)).filter(({ data }) => data["status"] === "inspecting").length).toBe(1);
});

const spreadsheets: Sheets = {
  properties: ["Property,Address,City,State,Zip", "Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["Property,Unit,Rent", "Maple Court,1,1000", "Maple Court,2,1000"],
  tenants: ["Name,Email", "Tess Tenant,tess@example.com", "Sam Sample,sam@example.com"],
  leases: [
    "Property,Unit,Tenant,Lease From,Lease To,Monthly Rent,Deposit,Balance Due",
    "Maple Court,1,Tess Tenant,01/01/2026,12/31/2099,1000,500,10",
    "Maple Court,2,Sam Sample,01/01/2026,12/31/2099,1000,500,10",
  ],
};
const elsewhere = (property: string, person: string): Sheets => ({
  properties: ["Property,Address,City,State,Zip", `${property},9 Elm Street,Albany,NY,12207`],
  tenants: ["Name,Email", `${person},`],
});
async function prepareIn(office: Office, namespace: string, files: Sheets) {
  const { id } = await createBundle(office, "generic", namespace);
  await uploadFiles(office, id, ...Object.entries(files).map(([name, lines]) => csvFile(`${name}.csv`, ...lines)));
  return validateBundle(office, id);
}

test("a bundle of another namespace with the same records is validated again as well, and one with other records is not", async () => {
  const office = await anOffice();
  const first = await prepareIn(office, "one", spreadsheets);
  const second = await prepareIn(office, "two", spreadsheets);
  const other = await prepareIn(office, "three", elsewhere("Elm House", "Otto Other"));
  expect(second.counts.byEntity).toMatchObject({ lease: { ready_create: 2 }, deposit: { ready_create: 2 } });
  await writeBundle(office, first.id);
  const balances = await closingBalances(office);
  expect((await waitForBundle(office, second.id, "ready")).counts).toMatchObject({ ready_create: 0, ready_update: 0 });
  expect(await writeBundle(office, second.id)).toMatchObject({ status: "completed" });
  expect(await closingBalances(office)).toEqual(balances);
  expect([(await office.call("listProperties")).total, (await office.call("listLeases")).total, (await office.call("listTenants")).total]).toEqual([1, 2, 2]);
  expect((await listEvents(office, other.id)).filter(({ data }) => data["status"] === "inspecting").length).toBe(1);
});

test("leases of known units in two namespaces are written once", async () => {
  const office = await anOffice();
  const { leases, ...rest } = spreadsheets;
  for (const namespace of ["one", "two"]) await writeBundle(office, (await prepareIn(office, namespace, rest)).id);
  const [first, second] = [await prepareIn(office, "one", { leases: leases! }), await prepareIn(office, "two", { leases: leases! })];
  expect(second.counts.byEntity["lease"]).toEqual({ ready_create: 2 });
  await writeBundle(office, first.id);
  expect((await waitForBundle(office, second.id, "ready")).counts).toMatchObject({ ready_create: 0 });
});

test("a bundle is not started while one of another namespace with the same records is being written", async () => {
  const office = await anOffice();
  const first = await prepareIn(office, "one", spreadsheets);
  const second = await prepareIn(office, "two", spreadsheets);
  const other = await prepareIn(office, "three", elsewhere("Elm House", "Otto Other"));
  const setState = (status: string, retryAt: string | null) =>
    queryImportsDatabase(office.organizationId, "update import_bundle set status = $3, retry_at = $4 where organization_id = $1 and id = $2", [
      office.organizationId,
      first.id,
      status,
      retryAt,
    ]);
  await setState("queued", "2999-01-01");
  expect(await office.attempt("startImportBundle", { params: { id: second.id } })).toMatchObject({ status: 409, body: { code: "import_running" } });
  expect(await writeBundle(office, other.id)).toMatchObject({ status: "completed" });
  await setState("ready", null);
  await office.call("startImportBundle", { params: { id: second.id } });
});
