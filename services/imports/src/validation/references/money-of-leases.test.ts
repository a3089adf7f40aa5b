/** Money that could be that of two leases, tenants or rows: it goes to the right one, or a person decides. */
import { beforeAll, expect, test } from "@jest/globals";
import type { Candidate } from "@freehold/contract/imports/import-bundles";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { createBundle, csvFile, listAllCandidates, uploadFiles, validateBundle } from "../../../test/bundles.ts";

let office: Office;
beforeAll(async () => {
  office = await anOffice();
});

const properties = csvFile("properties.csv", "Property Name,Address,City,State,Zip,Type", "Maple,1 Elm St,Albany,NY,12207,Multi-Family");
const units = csvFile("units.csv", "Property,Unit,Market Rent", "Maple,1,900.00", "Maple,7,950.00");
const tenants = (...rows: string[]) => csvFile("tenants.csv", "Tenant Name,Email", ...rows);

async function candidatesOf(...files: File[]): Promise<Candidate[]> {
  const { id } = await createBundle(office, "generic", "money-of-leases");
  await uploadFiles(office, id, properties, units, ...files);
  await validateBundle(office, id);
  return listAllCandidates(office, id);
}
const ofType = (candidates: readonly Candidate[], entityType: Candidate["entityType"]) => candidates.filter((each) => each.entityType === entityType);
const leaseHeader = "Lease ID,Property,Unit,Tenant,Tenant Email,Lease From,Lease To,Rent";

test("the number of a unit is not the id of a lease", async () => {
  const leases = csvFile("leases.csv", leaseHeader, "7,Maple,1,Sam Hill,,2026-01-01,2099-12-31,900.00", "8,Maple,7,Bo Holm,,2026-01-01,2099-12-31,950.00");
  const deposits = csvFile("deposits.csv", "Property,Unit,Tenant,Deposit", "Maple,7,Bo Holm,1500.00");
  const candidates = await candidatesOf(tenants("Sam Hill,", "Bo Holm,"), leases, deposits);
  const [deposit] = ofType(candidates, "deposit");
  const lease = ofType(candidates, "lease").find(({ sourceId }) => sourceId === "8");
  expect(deposit).toMatchObject({ status: "ready_create", dependsOn: expect.arrayContaining([lease!.id]) });
});

test("rows of one deposit with different amounts are errors instead of one lost amount", async () => {
  const leases = csvFile("leases.csv", leaseHeader, "1,Maple,1,Sam Hill,,2026-01-01,2099-12-31,900.00");
  const deposits = csvFile("deposits.csv", "Property,Unit,Deposit", "Maple,1,1500.00", "Maple,1,300.00");
  const own = ofType(await candidatesOf(tenants("Sam Hill,"), leases, deposits), "deposit");
  expect(own.map(({ status, errors }) => [status, errors[0]!.message])).toEqual(
    Array.from({ length: 2 }, () => [
      "invalid",
      "The rows 2, 3 denote the same record with different amounts. Add them up to one row, or give each its own id.",
    ]),
  );
});

test("the tenant of a lease is the person of its name, when the address is listed with the spouse", async () => {
  const leases = csvFile("leases.csv", leaseHeader, "1,Maple,1,Bo Holm,home@example.com,2026-01-01,2099-12-31,900.00");
  const candidates = await candidatesOf(tenants("Ada Holm,home@example.com", "Bo Holm,"), leases);
  const [lease] = ofType(candidates, "lease");
  const bo = ofType(candidates, "tenant").find(({ displayName }) => displayName === "Bo Holm");
  expect(lease!.dependsOn).toContain(bo!.id);
});

test("a credit is not counted as a negative balance and as a prepayment", async () => {
  const leases = csvFile(
    "leases.csv",
    `${leaseHeader},Balance,Prepaid`,
    "1,Maple,1,Sam Hill,,2026-01-01,2099-12-31,900.00,-100.00,100.00",
    "2,Maple,7,Bo Holm,,2026-01-01,2099-12-31,900.00,-50.00,0.00",
  );
  const balances = ofType(await candidatesOf(tenants("Sam Hill,", "Bo Holm,"), leases), "opening_balance");
  expect(balances.map(({ status, errors }) => [status, errors.map(({ path }) => path)])).toEqual([
    ["invalid", ["prepaid"]],
    ["ready_create", []],
  ]);
});

test("a payment of somebody who is not in the files is an error, and not one of the present tenant", async () => {
  const leases = csvFile("leases.csv", leaseHeader, "1,Maple,1,Sam Hill,,2026-01-01,2099-12-31,900.00");
  const payments = csvFile(
    "payments.csv",
    "Payment ID,Property,Unit,Tenant,Date,Amount,Method",
    "P1,Maple,1,Old Tenant,2026-05-03,900.00,check",
    "P2,Maple,1,Sam Hill,2026-05-03,900.00,check",
    "P3,Maple,1,,2026-05-03,900.00,check",
  );
  const own = ofType(await candidatesOf(tenants("Sam Hill,"), leases, payments), "payment");
  expect(own.map(({ status, errors }) => [status, errors.map(({ path }) => path)])).toEqual([
    ["invalid", ["tenant_name"]],
    ["ready_create", []],
    ["ready_create", []],
  ]);
});
