/** Spreadsheets as offices keep them: errors of formulas, tenants whose term has passed, and money without ids. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { listAllCandidates, validateBundle } from "../../test/bundles.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const RENT_ROLL = "Property,Address,City,State,ZIP,Unit,Tenant,Status,Lease From,Lease To,Rent,Deposit,Balance";
const row = (unit: string, tenant: string, { status = "Current", to = "12/31/2099", rent = "1000", deposit = "500", balance = "20" } = {}) =>
  `Oak,9 Oak St,Albany,NY,12207,${unit},${tenant},${status},01/05/2020,${to},${rent},${deposit},${balance}`;

test.each([
  ["a tenant", row("1", "#N/A"), { unit: "ready_create", tenant: "invalid", lease: "invalid", deposit: "invalid", opening_balance: "invalid" }],
  ["a tenant whose cell refers to nothing", row("1", "#REF!"), { tenant: "invalid", lease: "invalid", deposit: "invalid", opening_balance: "invalid" }],
  ["a unit", row("#REF!", "Cy Cole"), { unit: "invalid", lease: "invalid", deposit: "invalid", opening_balance: "invalid" }],
  ["a last day", row("1", "Cy Cole", { to: "#N/A" }), { lease: "invalid" }],
  ["a rent", row("1", "Cy Cole", { rent: "#VALUE!" }), { lease: "invalid" }],
  ["a deposit", row("1", "Cy Cole", { deposit: "#N/A" }), { deposit: "invalid" }],
  ["a balance", row("1", "Cy Cole", { balance: "#NAME?" }), { opening_balance: "invalid" }],
])("the error of a formula in the place of %s is an error of the row that names the cell", async (_, line, expected) => {
  const office = await anOffice();
  const { id } = await prepareBundle(office, { rent_roll: [RENT_ROLL, line] });
  const candidates = await listAllCandidates(office, id);
  for (const [entityType, status] of Object.entries(expected)) {
    const ofType = candidates.filter((candidate) => candidate.entityType === entityType);
    expect([entityType, ...ofType.map((candidate) => candidate.status)]).toEqual([entityType, status]);
    if (status === "invalid") expect(ofType[0]!.errors.map(({ message }) => message).join(" ")).toMatch(/^Column [\w ]+: "#/);
  }
});

test("a failed lookup of a telephone number is an empty cell", async () => {
  const office = await anOffice();
  const { counts } = await prepareBundle(office, { rent_roll: [`${RENT_ROLL},Phone`, `${row("1", "Cy Cole")},#N/A`] });
  expect(counts).toMatchObject({ invalid: 0, missing_source_data: 0 });
});

test.each(["Current", "Occupied", "Notice"])(
  "a tenant with the status %s whose term has passed is a holdover, also when the column is called Status",
  async (status) => {
    const office = await anOffice();
    const sheets = { rent_roll: [RENT_ROLL, row("1", "Ann Ash", { status, to: "12/31/2024" }), row("2", "Bo Birch", { status })] };
    const { id } = await prepareBundle(office, sheets);
    const bundle = await writeBundle(office, id);
    expect(bundle.files[0]!.warnings).toEqual(
      expect.arrayContaining([expect.objectContaining({ message: expect.stringContaining("imported as a holdover") })]),
    );
    const { leases } = await office.call("listLeases", { query: { sortBy: "unitNumber", sortDirection: "asc" } });
    expect(leases.map((lease) => [lease.tenantName, lease.status, lease.isHoldover])).toEqual([
      ["Ann Ash", "active", true],
      ["Bo Birch", "active", false],
    ]);
    expect((await prepareBundle(office, sheets)).counts).toMatchObject({ ready_create: 0, ready_update: 0, invalid: 0 });
  },
);

test("a status of the unit that an export has for the first time is no change of the lease", async () => {
  const office = await anOffice();
  await writeBundle(office, (await prepareBundle(office, { rent_roll: [RENT_ROLL, row("1", "Ann Ash", { status: "" })] })).id);
  expect((await prepareBundle(office, { rent_roll: [RENT_ROLL, row("1", "Ann Ash")] })).counts.byEntity["lease"]).toEqual({ unchanged: 1 });
});

test("payments and charges without a column of ids are imported, and known by their values", async () => {
  const office = await anOffice();
  await writeBundle(office, (await prepareBundle(office, { rent_roll: [RENT_ROLL, row("1", "Ann Ash", { deposit: "", balance: "" })] })).id);
  const money: Sheets = {
    payments: [
      "Property,Unit,Tenant,Date,Amount,Method",
      "Oak,1,Ann Ash,2026-10-01,1000,check",
      "Oak,1,Ann Ash,2026-11-01,1000,check",
      "Oak,1,Ann Ash,2026-11-01,1000,check",
    ],
    charges: [
      "Property,Unit,Tenant,Date,Due Date,Type,Label,Amount",
      "Oak,1,Ann Ash,2026-10-01,2026-10-01,rent,Oct,1000",
      "Oak,1,Ann Ash,2026-11-01,2026-11-01,rent,Nov,1000",
    ],
  };
  const { id, counts } = await prepareBundle(office, money);
  expect(counts.byEntity).toEqual({ charge: { ready_create: 2 }, payment: { ready_create: 3 } });
  await writeBundle(office, id);
  expect((await prepareBundle(office, money)).counts.byEntity).toEqual({ charge: { unchanged: 2 }, payment: { unchanged: 3 } });
});

test("money names property and unit also when the portfolio was imported with ids", async () => {
  const office = await anOffice();
  const portfolio: Sheets = {
    properties: ["source_id,name,street_line1,city,state,postal_code", "P1,Oak,9 Oak St,Albany,NY,12207"],
    units: ["source_id,property_source_id,unit_number,monthly_rent", "U1,P1,1,1000", "U2,P1,2,1000"],
    tenants: ["source_id,full_name", "T1,Ann Ash", "T2,Bo Birch", "T3,Cy Cole"],
    leases: [
      "source_id,unit_source_id,primary_tenant_source_id,status,start_date,end_date,rent",
      "L0,U1,T2,expired,2024-01-01,2025-12-31,900",
      "L1,U1,T1,active,2026-01-01,2099-12-31,1000",
      "L2,U2,T3,active,2026-01-01,2099-12-31,1000",
    ],
  };
  await writeBundle(office, (await prepareBundle(office, portfolio)).id);
  const payments = [
    "property_name,unit_number,tenant_name,received_date,amount,method",
    "Oak,1,Ann Ash,2026-03-01,500,check",
    "Oak,1,,2026-03-02,500,check",
    "Oak,1,Bo Birch,2025-03-01,450,check",
    "Oak,2,,2026-03-01,500,check",
  ];
  const { id, counts } = await prepareBundle(office, { payments });
  expect(counts.byEntity).toEqual({ payment: { ready_create: 4 } });
  await writeBundle(office, id);
  const { payments: posted } = await office.call("listPayments");
  const receipts = posted.map(({ tenant, receivedAt }) => [receivedAt.slice(0, 10), tenant?.fullName]);
  expect(receipts.toSorted((one, other) => (String(one) < String(other) ? -1 : 1))).toEqual([
    ["2025-03-01", "Bo Birch"],
    ["2026-03-01", "Ann Ash"],
    ["2026-03-01", "Cy Cole"],
    ["2026-03-02", "Ann Ash"],
  ]);
  expect((await validateBundle(office, (await prepareBundle(office, { ...portfolio, payments })).id)).counts).toMatchObject({ ready_create: 0, invalid: 0 });
});
