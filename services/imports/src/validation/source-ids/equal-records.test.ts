/** Charges and payments that earlier imports wrote under other ids, or for rows that named their lease in another way, are posted once. */
import { describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { listAllCandidates, queryImportsDatabase, validateBundle } from "../../../test/bundles.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../../test/writing.ts";

const portfolio: Sheets = {
  properties: ["source_id,name,street_line1,city,state,postal_code", "P1,Oak,9 Oak St,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U1,P1,1,1000"],
  tenants: ["source_id,full_name,email", "T1,Ann Ash,ann@example.com", "T2,Bo Ash,bo@example.com"],
  leases: ["source_id,unit_source_id,primary_tenant_source_id,status,start_date,end_date,rent", "L1,U1,T1,active,2026-01-01,2099-12-31,1000"],
  occupants: ["lease_source_id,tenant_source_id", "L1,T2"],
};
const HEADER = "source_id,lease_source_id,tenant_name,received_date,amount,method,check_number";
/** Payments of one day and amount with these ids, and a charge for each. */
const money = (...ids: string[]): Sheets => ({
  charges: ["source_id,lease_source_id,date,due_date,type,label,amount", ...ids.map((id) => `${id && `C${id}`},L1,2026-03-01,2026-03-01,rent,March,500`)],
  payments: [HEADER, ...ids.map((id) => `${id && `P${id}`},L1,Ann Ash,2026-03-01,500,check,`)],
});
const payments = (...rows: string[]): Sheets => ({ payments: [HEADER, ...rows] });

const importSheets = async (office: Office, sheets: Sheets) => writeBundle(office, (await prepareBundle(office, sheets)).id);
async function countMoney(office: Office) {
  const { total: chargeCount } = await office.call("listCharges");
  const { total: paymentCount } = await office.call("listPayments");
  return [chargeCount, paymentCount];
}

describe("rows that gain or lose their ids are known by their values", () => {
  test.each<[string, Sheets, Sheets, number]>([
    ["ids are added", money("", ""), money("1", "2"), 2],
    ["ids are removed", money("1", "2"), money("", ""), 2],
    ["only some rows had ids", money("1", ""), money("", ""), 2],
    ["only some rows have ids since", money("", ""), money("", "1"), 2],
    ["ids are added, and another payment of the day", money(""), money("1", "2"), 2],
    ["ids are removed, and another payment of the day came", money("1"), money("", ""), 2],
    ["payments have new ids of their own", money("1"), money("2"), 2],
  ])("%s", async (_, first, second, count) => {
    const office = await anOffice();
    await importSheets(office, { ...portfolio, ...first });
    await importSheets(office, second);
    expect(await countMoney(office)).toEqual([count, count]);
    expect((await prepareBundle(office, second)).counts).toMatchObject({ ready_create: 0, invalid: 0, ambiguous: 0 });
    expect((await prepareBundle(office, first)).counts).toMatchObject({ ready_create: 0, invalid: 0, ambiguous: 0 });
  });

  test("also when they were imported before their leases were noted", async () => {
    const office = await anOffice();
    await importSheets(office, { ...portfolio, ...money("") });
    await queryImportsDatabase(office.organizationId, "update import_identity set subject_id = null where organization_id = $1", [office.organizationId]);
    await importSheets(office, money(""));
    expect((await prepareBundle(office, money("1"))).counts).toMatchObject({ ready_create: 0, unchanged: 2 });
  });
});

describe("a row without an id is known whichever column names its lease", () => {
  const byLease = ["source_id,lease_source_id,received_date,amount,method", ",L1,2026-03-01,500,check"];
  const byUnit = ["source_id,property_name,unit_number,received_date,amount,method", ",Oak,1,2026-03-01,500,check"];
  const byTenant = ["source_id,property_name,unit_number,tenant_name,received_date,amount,method", ",Oak,1,Ann Ash,2026-03-01,500,check"];
  const byEmail = ["source_id,property_name,unit_number,tenant_email,received_date,amount,method", ",Oak,1,ann@example.com,2026-03-01,500,check"];

  test.each<[string, string[][]]>([
    ["lease, then unit", [byLease, byUnit]],
    ["unit, then lease", [byUnit, byLease]],
    ["tenant, unit, e-mail address, lease", [byTenant, byUnit, byEmail, byLease]],
  ])("%s", async (_, files) => {
    const office = await anOffice();
    for (const lines of files) expect((await importSheets(office, { ...portfolio, payments: lines })).status).toBe("completed");
    expect(await countMoney(office)).toEqual([0, 1]);
  });

  test("in two files of one bundle, with a warning that names both rows", async () => {
    const office = await anOffice();
    const { files } = await importSheets(office, { ...portfolio, payments: byLease, payments_2: byUnit });
    expect(await countMoney(office)).toEqual([0, 1]);
    expect(files.flatMap(({ fileName, warnings }) => warnings.map((warning) => [fileName, warning]))).toEqual([
      ["payments_2.csv", { row: 2, message: expect.stringMatching(/^This payment equals row 2 of payments\.csv and counts as one record\./) }],
    ]);
  });

  test("and whatever the property is called since", async () => {
    const office = await anOffice();
    await importSheets(office, { ...portfolio, payments: byUnit });
    const properties = portfolio["properties"]!.map((line) => line.replace("Oak,9", "Oak Court,9"));
    const bundle = await importSheets(office, { ...portfolio, properties, payments: byUnit.map((line) => line.replace("Oak", "Oak Court")) });
    expect(bundle.counts).toMatchObject({ ready_create: 0, ready_update: 1 });
    expect(await countMoney(office)).toEqual([0, 1]);
  });
});

describe("a row that differs in one value may be a correction or another payment", () => {
  test.each([
    ["another check", ",L1,Ann Ash,2026-03-01,500,check,101", ",L1,Ann Ash,2026-03-01,500,check,102"],
    ["another payer", ",L1,Ann Ash,2026-03-01,500,check,", ",L1,Bo Ash,2026-03-01,500,check,"],
    ["another check with an id", ",L1,Ann Ash,2026-03-01,500,check,101", "P1,L1,Ann Ash,2026-03-01,500,check,102"],
    ["another method without the id", "P1,L1,Ann Ash,2026-03-01,500,check,", ",L1,Ann Ash,2026-03-01,500,ach,"],
  ])("%s: it is not posted until the office decides", async (_, first, second) => {
    const office = await anOffice();
    await importSheets(office, { ...portfolio, ...payments(first) });
    const { id, counts } = await prepareBundle(office, payments(second));
    expect(counts).toMatchObject({ ambiguous: 1, ready_create: 0, invalid: 0 });
    const [candidate] = await listAllCandidates(office, id);
    const [payment] = (await office.call("listPayments")).payments;
    expect(candidate!.matches).toEqual([
      { entityId: payment!.id, displayName: expect.stringContaining("2026-03-01"), score: 0.6, reasons: ["lease", "day", "amount"] },
    ]);
    const resolve = (body: { action: "create" } | { action: "match"; entityId: string }) =>
      office.call("resolveImportCandidate", { params: { id, candidateId: candidate!.id }, body });
    expect((await resolve({ action: "match", entityId: payment!.id })).candidate.status).toBe("unchanged");
    expect((await resolve({ action: "create" })).candidate.status).toBe("ready_create");
    expect((await validateBundle(office, id)).counts).toMatchObject({ ready_create: 1 });
    await writeBundle(office, id);
    expect(await countMoney(office)).toEqual([0, 2]);
    expect((await prepareBundle(office, payments(first, second))).counts).toMatchObject({ unchanged: 2 });
  });
});
