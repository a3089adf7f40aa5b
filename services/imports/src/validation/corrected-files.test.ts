/** Files that lose data, or differ from what an earlier import has posted, say so before anything is written. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { addDays } from "@freehold/kit/time/plain-date";
import { today } from "@freehold/kit/time/clock";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { closingBalances } from "../../../../test/support/tenancy.ts";
import { createBundle, csvFile, uploadFiles, validateBundle } from "../../test/bundles.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const lease = {
  properties: ["name,street_line1,city,state,postal_code", "Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["property_name,unit_number,monthly_rent", "Maple Court,1A,1000.00"],
  tenants: ["full_name,email", "Tess Tenant,tess@example.com"],
  leases: ["property_name,unit_number,primary_tenant_name,start_date,rent", "Maple Court,1A,Tess Tenant,2026-01-01,1000.00"],
} satisfies Sheets;
const withBalance = (asOf: string, balance = "120.00"): Sheets => ({
  ...lease,
  opening_balances: ["property_name,unit_number,tenant_name,as_of,balance", `Maple Court,1A,Tess Tenant,${asOf},${balance}`],
});

describe("a column with data that is not mapped", () => {
  let office: Office;
  beforeAll(async () => {
    office = await anOffice();
  });

  test("is a warning of its file and of the validated bundle, which says where money belongs, until it is mapped", async () => {
    const { id } = await createBundle(office);
    const header = "Property,Unit,Tenant,Lease Start,Rent,Old Deposit,Pets,Parking,Empty,Zero Due";
    const [file] = await uploadFiles(office, id, csvFile("leases.csv", header, "Maple Court,1A,Tess,2026-01-01,1000,900.00,1 cat,50.00,,0.00"));
    const messages = (warnings: readonly { row: number; message: string }[]) => warnings.map(({ row, message }) => `${row}: ${message}`);
    const expected = [
      '1: The column "Old Deposit" holds data that is not imported, only stored with its rows. If it is money to import, map it to amount_held.',
      '1: The column "Pets" holds data that is not imported, only stored with its rows. If it is money to import, it belongs in amount in recurring_charges.csv or charges.csv.',
      '1: The column "Parking" holds data that is not imported, only stored with its rows. If it is money to import, it belongs in amount in recurring_charges.csv or charges.csv.',
    ];
    expect(messages(file!.warnings)).toEqual(expected);
    expect(messages((await validateBundle(office, id)).files[0]!.warnings)).toEqual(expected);
    const { file: mapped } = await office.call("updateImportFile", { params: { id, fileId: file!.id }, body: { mapping: { "Old Deposit": "amount_held" } } });
    expect(messages(mapped.warnings)).toEqual(expected.slice(1));
  });

  test("is a warning also when it is the type of a tax id, of which a change changes nothing", async () => {
    const owners = (type: string): Sheets => ({ owners: ["source_id,full_name,email,tax_id_type", `O-1,Olga Owner,olga@example.com,${type}`] });
    const bundle = await prepareBundle(office, owners("ssn"));
    expect(bundle.files[0]!.warnings).toEqual([{ row: 1, message: expect.stringMatching(/^The column "tax_id_type" is only stored with its rows/) }]);
    await writeBundle(office, bundle.id);
    expect((await prepareBundle(office, owners("ein"))).counts).toMatchObject({ unchanged: 1 });
  });

  test("is named by the refusal to validate a file without a required column", async () => {
    const { id } = await createBundle(office);
    await uploadFiles(office, id, csvFile("properties.csv", "Name,Where,City,State,Zip", "Maple Court,12 Maple Street,Albany,NY,12207"));
    const { status, body } = await office.attempt("validateImportBundle", { params: { id } });
    expect([status, body.code, body.message]).toEqual([
      409,
      "bundle_not_ready",
      'properties.csv: Required data is missing. Add a column street_line1 (also accepted: Address, Street, Street Address), map one of the columns "Where" to street_line1, or remove the file.',
    ]);
  });
});

test("a balance of a day in the future is a warning, until the file is corrected", async () => {
  const office = await anOffice();
  const tomorrow = addDays(today("America/New_York"), 1);
  const { id, files } = await prepareBundle(office, withBalance(tomorrow));
  const file = files.at(-1)!;
  expect(file.warnings).toEqual([{ row: 2, message: expect.stringContaining(`as_of is ${tomorrow}, a day in the future.`) }]);
  expect((await validateBundle(office, id)).files.at(-1)!.warnings).toHaveLength(1);
  await office.call("deleteImportFile", { params: { id, fileId: file.id } });
  await uploadFiles(office, id, csvFile("opening_balances.csv", ...withBalance("2026-06-30")["opening_balances"]!));
  expect((await validateBundle(office, id)).files.flatMap(({ warnings }) => warnings)).toEqual([]);
});

describe("a deposit and a balance that an earlier import has posted", () => {
  const otherColumns = (amount: string): Sheets => ({
    ...lease,
    tenants: ["source_id,full_name,email", "T-1,Tess M. Tenant,tess@example.com"],
    leases: ["source_id,property_name,unit_number,primary_tenant_source_id,start_date,rent", "L-1,Maple Court,1A,T-1,2026-01-01,1000.00"],
    deposits: ["lease_source_id,amount_held,received_date", `L-1,${amount},2026-01-01`],
    opening_balances: ["lease_source_id,as_of,balance", "L-1,2026-06-30,120.00"],
  });
  const firstImport: Sheets = {
    ...withBalance("2026-06-30"),
    deposits: ["property_name,unit_number,tenant_email,amount_held,received_date", "Maple Court,1A,tess@example.com,900.00,2026-01-01"],
  };

  test("are not posted again by files that name the tenant and the lease by other columns", async () => {
    const office = await anOffice();
    expect(await writeBundle(office, (await prepareBundle(office, firstImport)).id)).toMatchObject({ status: "completed" });
    const before = await closingBalances(office);
    const repeated = await prepareBundle(office, otherColumns("900.00"));
    expect(repeated.counts.byEntity).toMatchObject({ deposit: { unchanged: 1 }, opening_balance: { unchanged: 1 } });
    await writeBundle(office, repeated.id);
    expect(await closingBalances(office)).toEqual(before);
    const another = await prepareBundle(office, otherColumns("950.00"));
    expect(another.counts.byEntity).toMatchObject({ deposit: { invalid: 1 }, opening_balance: { unchanged: 1 } });
    const second = { ...firstImport, deposits: [...firstImport["deposits"]!, "Maple Court,1A,,900.00,2026-01-01"] };
    expect((await prepareBundle(office, second)).counts.byEntity["deposit"]).toEqual({ unchanged: 1, ready_create: 1 });
  });
});

test("a corrected date of a posted balance is invalid before the start, and is written once its charge is voided", async () => {
  const office = await anOffice();
  expect(await writeBundle(office, (await prepareBundle(office, withBalance("2026-06-30"))).id)).toMatchObject({ status: "completed" });
  const { charges } = await office.call("listCharges", { query: { chargeType: "other" } });
  const corrected = await prepareBundle(office, withBalance("2026-05-31"));
  expect(corrected.counts).toMatchObject({ ready_create: 0, ready_update: 0, invalid: 1 });
  const { candidates } = await office.call("listImportCandidates", { params: { id: corrected.id }, query: { status: "invalid" } });
  expect(candidates).toMatchObject([
    {
      entityType: "opening_balance",
      changes: [{ field: "as_of", from: "2026-06-30", to: "2026-05-31" }],
      errors: [{ path: "as_of", code: "not_allowed", message: expect.stringContaining(`void the charge "Opening balance" (charge ${charges[0]!.id})`) }],
    },
  ]);
  await office.call("voidCharge", { params: { id: charges[0]!.id }, body: { reason: "Wrong date" } });
  await office.call("resolveImportCandidate", { params: { id: corrected.id, candidateId: candidates[0]!.id }, body: { action: "create" } });
  expect(await writeBundle(office, corrected.id)).toMatchObject({ status: "completed" });
  expect(await closingBalances(office)).toMatchObject({ "1100": 12_000, "3900": -12_000 });
  expect((await prepareBundle(office, withBalance("2026-05-31"))).counts).toMatchObject({ unchanged: 5, invalid: 0 });
});
