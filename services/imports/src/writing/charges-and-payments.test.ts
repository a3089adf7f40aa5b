/** Writing of balances, charges and payments: no money is lost, and none is recorded twice. */
import { describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { createBundle, createReadyBundle, csvFile, queryImportsDatabase, uploadFiles, validateBundle } from "../../test/bundles.ts";
import { addTenants } from "../../migrations/202611230680-identities-of-tenancies.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

test("a prepayment in a rent roll becomes credit of the tenant, also without a balance due", async () => {
  const office = await anOffice();
  const { id } = await createReadyBundle(
    office,
    "buildium",
    csvFile("properties.csv", "Name,AddressLine1,City,State,PostalCode", "Maple Court,12 Maple Street,Albany,NY,12207"),
    csvFile(
      "rent_roll.csv",
      "Property,Unit,Tenants,Lease Start,Lease End,Rent,Deposits Held,Prepayments,Balance Due",
      "Maple Court,101,Sam Sample,01/01/2026,12/31/2099,1000.00,0.00,200.00,0.00",
      "Maple Court,102,Alex Other,01/01/2026,12/31/2099,1000.00,0.00,200.00,50.00",
    ),
  );
  expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
  const { payments } = await office.call("listPayments");
  expect(payments.map(({ amountCents, unallocatedCents }) => [amountCents, unallocatedCents])).toEqual([
    [20_000, 20_000],
    [20_000, 20_000],
  ]);
  expect((await office.call("listCharges", { query: { chargeType: "other" } })).charges).toMatchObject([{ amountCents: 5_000, balanceCents: 5_000 }]);
});

test("a refund in a file of transactions is neither a charge nor a payment, and is listed with the reason", async () => {
  const office = await anOffice();
  const { id, counts } = await createReadyBundle(
    office,
    "buildium",
    csvFile("properties.csv", "Name,AddressLine1,City,State,PostalCode", "Elm Street 1,1 Elm Street,Albany,NY,12207"),
    csvFile("units.csv", "PropertyId,Property name,UnitNumber,MarketRent", ",Elm Street 1,1,1000.00"),
    csvFile("leases.csv", "Id,Property name,Unit number,LeaseFromDate,LeaseToDate,Rent,Tenants", "9,Elm Street 1,1,01/01/2026,12/31/2099,1000.00,Tess Tenant"),
    csvFile("tenants.csv", "Id,Property,Unit number,First name,Last name", "5,Elm Street 1,1,Tess,Tenant"),
    csvFile(
      "charges_and_payments.csv",
      "Date,Transaction type,Property name,Unit number,LeaseId,Payment method,Paid by,Amount,General Ledger Allocation,Memo,Id",
      "06/01/2026,Charge,Elm Street 1,1,9,,,100.00,Rent Income,June,701",
      "06/02/2026,Refund,Elm Street 1,1,9,,,40.00,Rent Income,Refund,702",
    ),
  );
  expect(counts.byEntity).toMatchObject({ charge: { ready_create: 1, invalid: 1 } });
  expect(counts.byEntity).not.toHaveProperty("payment");
  const failures = await (await office.raw("GET", `/api/import-bundles/${id}/failures.csv`)).text();
  expect(failures).toMatch(/charges_and_payments.csv,3,charge,702,invalid,enum,.*"Refund".*not imported/);
});

const lease = {
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1A,1000.00", "U-2,P-1,1B,1000.00"],
  tenants: ["source_id,full_name", "T-1,Tess Tenant", "T-2,Otto Other"],
  leases: [
    "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,rent",
    "L-1,U-1,T-1,month_to_month,active,2026-01-01,1000.00",
    "L-2,U-2,T-2,month_to_month,active,2026-01-01,1000.00",
  ],
  charges: ["source_id,lease_source_id,date,type,amount", "C-1,L-1,2026-02-01,rent,1000.00", "C-2,L-2,2026-02-01,rent,1000.00"],
} satisfies Sheets;
const withPayments = (...rows: string[]): Sheets => ({
  ...lease,
  payments: ["source_id,lease_source_id,received_date,amount,method,applied_to_charge_source_id", ...rows],
});

test("payments of one charge settle it together, and what exceeds it is credit", async () => {
  const office = await anOffice();
  const payments = ["M-1", "M-2", "M-3"].map((id) => `${id},L-1,2026-02-03,600.00,check,C-1`);
  expect(await writeBundle(office, (await prepareBundle(office, withPayments(...payments))).id)).toMatchObject({ status: "completed" });
  const recorded = (await office.call("listPayments")).payments;
  expect(recorded.map(({ unallocatedCents }) => unallocatedCents).toSorted((a, b) => a - b)).toEqual([0, 20_000, 60_000]);
  const repeated = await prepareBundle(office, withPayments(...payments));
  expect(repeated.counts).toMatchObject({ ready_create: 0, ready_update: 0 });
});

test("a payment of a named charge settles it before payments without a charge, in any order of the rows", async () => {
  const office = await anOffice();
  const charges = [...lease.charges, "C-3,L-1,2026-01-01,late_fee,50.00"];
  const payments = ["M-1,L-1,2026-02-03,20.00,check,", "M-2,L-1,2026-02-03,60.00,check,C-3", "M-3,L-1,2026-02-03,30.00,check,"];
  expect(await writeBundle(office, (await prepareBundle(office, { ...withPayments(...payments), charges })).id)).toMatchObject({ status: "completed" });
  const { payments: recorded } = await office.call("listPayments", { query: { sortBy: "amountCents", sortDirection: "asc" } });
  expect(recorded.map(({ amountCents, unallocatedCents }) => [amountCents, unallocatedCents])).toEqual([
    [2_000, 0],
    [3_000, 0],
    [6_000, 1_000],
  ]);
  const { charges: open } = await office.call("listCharges", { query: { leaseId: recorded[0]!.leaseId! } });
  expect(new Map(open.map(({ chargeType, balanceCents }) => [chargeType, balanceCents]))).toEqual(
    new Map([
      ["late_fee", 0],
      ["rent", 95_000],
    ]),
  );
});

test("a payment of another lease's charge is refused as a whole, naming the column, and is recorded with its allocation once its row is corrected", async () => {
  const office = await anOffice();
  const bundle = await prepareBundle(office, withPayments("M-1,L-1,2026-02-03,600.00,check,C-2"));
  expect(await writeBundle(office, bundle.id)).toMatchObject({ status: "completed_with_errors", counts: { invalid: 1 } });
  expect((await office.call("listPayments")).total).toBe(0);
  const { candidates } = await office.call("listImportCandidates", { params: { id: bundle.id }, query: { status: "invalid" } });
  expect(candidates).toMatchObject([
    {
      sourceId: "M-1",
      resultEntityId: null,
      errors: [{ path: "applied_to_charge_source_id", code: "mismatch", message: expect.stringMatching(/^The charge belongs to another lease\./) }],
    },
  ]);
  const corrected = await prepareBundle(office, withPayments("M-1,L-1,2026-02-03,600.00,check,C-1"));
  expect(corrected.counts).toMatchObject({ ready_create: 1 });
  await writeBundle(office, corrected.id);
  expect((await office.call("listPayments")).payments).toMatchObject([{ amountCents: 60_000, unallocatedCents: 0 }]);
});

test("a payment of which an earlier bundle has not noticed that it was recorded is not recorded again, by another user neither", async () => {
  const office = await anOffice();
  const sheets = withPayments("M-1,L-1,2026-02-03,600.00,check,C-1");
  await writeBundle(office, (await prepareBundle(office, sheets)).id);
  const [payment] = (await office.call("listPayments")).payments;
  const deletion = "delete from import_identity where organization_id = $1 and entity_type = 'payment' returning entity_id";
  expect(await queryImportsDatabase(office.organizationId, deletion, [office.organizationId])).toEqual([{ entity_id: payment!.id }]);
  const manager = await office.colleague("manager");
  const { id } = await prepareBundle(manager, sheets);
  expect(await writeBundle(manager, id)).toMatchObject({ status: "completed", counts: { ready_create: 1 } });
  expect((await office.call("listPayments")).payments.map((each) => each.id)).toEqual([payment!.id]);
  const { candidates } = await office.call("listImportCandidates", { params: { id }, query: { entityType: "payment" } });
  expect(candidates).toMatchObject([{ resultEntityId: payment!.id }]);
});

test("a payment that an earlier bundle recorded without noticing it is not replayed for a row with another amount", async () => {
  const office = await anOffice();
  await writeBundle(office, (await prepareBundle(office, withPayments("M-1,L-1,2026-02-03,600.00,check,C-1"))).id);
  await queryImportsDatabase(office.organizationId, "delete from import_identity where organization_id = $1 and entity_type = 'payment'", [
    office.organizationId,
  ]);
  const { id } = await prepareBundle(office, withPayments("M-1,L-1,2026-02-03,700.00,check,C-1", "M-2,L-1,2026-02-04,5.00,check,"));
  expect(await writeBundle(office, id)).toMatchObject({ status: "completed_with_errors", counts: { invalid: 1 } });
  const { candidates } = await office.call("listImportCandidates", { params: { id }, query: { entityType: "payment" } });
  expect(candidates).toMatchObject([
    { resultEntityId: null, errors: [{ path: "row", code: "not_allowed" }] },
    { status: "ready_create", errors: [] },
  ]);
  expect(candidates[0]!.errors[0]!.message).toContain("with other values");
  expect((await office.call("listPayments")).payments.map(({ amountCents }) => amountCents)).toEqual([500, 60_000]);
});

test("a payment that was reversed is recorded again on the decision to create it", async () => {
  const office = await anOffice();
  const sheets = withPayments("M-1,L-1,2026-02-03,600.00,check,C-1");
  await writeBundle(office, (await prepareBundle(office, sheets)).id);
  const [payment] = (await office.call("listPayments")).payments;
  await office.call("reversePayment", { params: { id: payment!.id }, body: { reason: "entry_error" } });
  const { id } = await prepareBundle(office, sheets);
  const { candidates } = await office.call("listImportCandidates", { params: { id }, query: { entityType: "payment" } });
  await office.call("resolveImportCandidate", { params: { id, candidateId: candidates[0]!.id }, body: { action: "create" } });
  await writeBundle(office, id);
  expect((await office.call("listPayments", { query: { status: "received" } })).payments).toMatchObject([{ amountCents: 60_000, unallocatedCents: 0 }]);
});

test("the balance of a former tenant of the unit is not charged to the lease of the present one", async () => {
  const office = await anOffice();
  const { id, counts } = await createReadyBundle(
    office,
    "appfolio",
    csvFile(
      "property_directory.csv",
      "Property Name,Property ID,Property Street Address 1,Property City,Property State,Property Zip",
      "Maple Court,100,12 Maple Street,Hartford,CT,06103",
    ),
    csvFile(
      "rent_roll.csv",
      "Property,Unit,Tenant,Status,Rent,Deposit,Lease From,Lease To,Past Due",
      'Maple Court,101,"Roe, Jane M.",Current,"1,000.00",0.00,06/01/2026,12/31/2099,0.00',
    ),
    csvFile(
      "delinquency.csv",
      "Property,Unit,Name,Amount Receivable,0-30,Delinquent Rent,Tenant Status",
      'Maple Court,101,"Sample, Sam",500.00,500.00,500.00,Past',
      'Maple Court,101,"Roe, Jane",120.00,120.00,120.00,Current',
    ),
  );
  expect(counts.byEntity["opening_balance"]).toEqual({ invalid: 1, ready_create: 1 });
  const { candidates } = await office.call("listImportCandidates", { params: { id }, query: { entityType: "opening_balance", status: "invalid" } });
  expect(candidates).toMatchObject([{ errors: [{ code: "not_found", message: expect.stringContaining("no lease") }] }]);
});

describe("the deposit of a unit in a rent roll without lease ids", () => {
  const rentRoll = (tenant: string, start: string, end = "12/31/2099") =>
    csvFile(
      "rent_roll.csv",
      "Property,Unit,Tenants,Lease Start,Lease End,Rent,Deposits Held,Prepayments,Balance Due",
      `Maple Court,101,${tenant},${start},${end},1000.00,900.00,0.00,0.00`,
    );
  const property = csvFile("properties.csv", "Name,AddressLine1,City,State,PostalCode", "Maple Court,12 Maple Street,Albany,NY,12207");
  const validateRentRoll = async (office: Office, ...row: [tenant: string, start: string, end?: string]) => {
    const { id } = await createBundle(office, "buildium", "rent-rolls");
    await uploadFiles(office, id, property, rentRoll(...row));
    return validateBundle(office, id);
  };

  test("is a new one after a new tenant has moved in, and the same after a renewal", async () => {
    const office = await anOffice();
    const first = await validateRentRoll(office, "Sam Sample", "01/01/2024", "12/31/2024");
    expect(first.counts.byEntity).toMatchObject({ deposit: { ready_create: 1 } });
    await writeBundle(office, first.id);
    expect((await validateRentRoll(office, "Sam Sample", "01/01/2025")).counts.byEntity).toMatchObject({ deposit: { unchanged: 1 } });
    expect((await validateRentRoll(office, "Nora Next", "01/01/2026")).counts.byEntity).toMatchObject({ deposit: { ready_create: 1 } });
  });

  test("is recognized after an upgrade from ids without the tenant", async () => {
    const office = await anOffice();
    await writeBundle(office, (await validateRentRoll(office, "Zoë O'Neil-Sample", "01/01/2024")).id);
    for (const table of ["import_identity", "import_candidate"])
      await queryImportsDatabase(
        office.organizationId,
        `update ${table} set source_id = '~maple court/101' where organization_id = $1 and entity_type = 'deposit' and source_id = '~maple court/101/zoe o neil sample'`,
        [office.organizationId],
      );
    await queryImportsDatabase(office.organizationId, addTenants);
    expect((await validateRentRoll(office, "Zoë O'Neil-Sample", "01/01/2024")).counts.byEntity).toMatchObject({ deposit: { unchanged: 1 } });
  });
});

test("payments without a charge settle the oldest charges in the order of their receipt, whatever the order of the rows", async () => {
  const office = await anOffice();
  const charges = ["09", "10", "11"].map((month) => `C-${month},L-1,2026-${month}-01,2026-${month}-01,rent,Rent,1000.00`);
  const payments = ["11", "09", "10"].map((month) => `M-${month},L-1,T-1,2026-${month}-02,1000.00,check`);
  const { id } = await prepareBundle(office, {
    ...lease,
    charges: ["source_id,lease_source_id,date,due_date,type,label,amount", ...charges],
    payments: ["source_id,lease_source_id,tenant_source_id,received_date,amount,method", ...payments],
  });
  expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
  const settled = (await office.call("listPayments")).payments.map(({ receivedAt, allocations }) => [
    receivedAt.slice(0, 7),
    ...allocations.map(({ charge }) => charge.dueDate.slice(0, 7)),
  ]);
  expect(new Map(settled as [string, string][])).toEqual(new Map(["2026-09", "2026-10", "2026-11"].map((month) => [month, month])));
});
