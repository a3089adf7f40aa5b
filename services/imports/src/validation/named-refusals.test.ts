/** Rows that the services would refuse because of what is known before the start: the dry run names the row, the column and the remedy. */
import { expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { listAllCandidates } from "../../test/bundles.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const DAY = today("America/New_York");
const [START, END, NEXT, LAST] = [addDays(DAY, -300), addDays(DAY, 60), addDays(DAY, 61), addDays(DAY, 400)];
const portfolio = {
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00", "U-2,P-1,2,1000.00"],
  tenants: ["source_id,full_name", "T-1,Tess Tenant", "T-2,Otto Other", "T-3,Cora Co"],
} satisfies Sheets;
const LEASES = "source_id,unit_source_id,primary_tenant_source_id,co_tenants,term_type,status,start_date,end_date,rent";
const withLeases = (...leases: string[]): Sheets => ({ ...portfolio, leases: [LEASES, ...leases] });
const running = `L-1,U-1,T-1,Cora Co,fixed,active,${START},${END},1000.00`;

/** Returns the source id, the status and the errors of the candidates of a type. */
async function errorsOf(office: Office, id: string, entityType: string) {
  const candidates = await listAllCandidates(office, id, { entityType });
  return candidates.map(({ sourceId, status, errors }) => [sourceId, status, ...errors.map(({ path, code }) => `${path} ${code}`)]);
}
const importSheets = async (office: Office, sheets: Sheets) => writeBundle(office, (await prepareBundle(office, sheets)).id);

test("a payment of somebody who is not on the lease is an error, and one of a co-tenant is not", async () => {
  const office = await anOffice();
  const sheets: Sheets = {
    ...withLeases(running),
    payments: [
      "source_id,lease_source_id,tenant_source_id,received_date,amount",
      ...["T-1", "T-2", "T-3", ""].map((tenant, n) => `M-${n},L-1,${tenant},${START},10.00`),
    ],
  };
  const expected = [
    ["M-0", "ready_create"],
    ["M-1", "invalid", "tenant_source_id mismatch"],
    ["M-2", "ready_create"],
    ["M-3", "ready_create"],
  ];
  expect(await errorsOf(office, (await prepareBundle(office, sheets)).id, "payment")).toEqual(expected);
  await importSheets(office, withLeases(running));
  const { id } = await prepareBundle(office, sheets);
  expect(await errorsOf(office, id, "payment")).toEqual(expected);
  expect((await writeBundle(office, id)).counts.byEntity["payment"]).toEqual({ ready_create: 3, invalid: 1 });
});

test("accounts that the chart does not have or that do not take the money are errors of their rows, which an edit corrects", async () => {
  const office = await anOffice();
  const { id } = await prepareBundle(office, {
    ...withLeases(running),
    recurring_charges: [
      "source_id,lease_source_id,label,amount,start_date,category_code",
      `R-1,L-1,Pet,20.00,${START},4999`,
      `R-2,L-1,Cat,20.00,${START},4090`,
    ],
    charges: ["source_id,lease_source_id,date,type,amount,category_code", `C-1,L-1,${START},fee,10.00,5000`, `C-2,L-1,${START},fee,10.00,4090`],
    expenses: ["source_id,property_source_id,date,category,amount,category_code", `E-1,P-1,${START},other,10.00,4000`, `E-2,P-1,${START},other,10.00,5000`],
  });
  for (const [type, name] of [
    ["recurring_charge", "R"],
    ["charge", "C"],
    ["expense", "E"],
  ] as const)
    expect(await errorsOf(office, id, type)).toEqual([
      [`${name}-1`, "invalid", "category_code not_found"],
      [`${name}-2`, "ready_create"],
    ]);
  const [charge] = await listAllCandidates(office, id, { entityType: "charge" });
  const params = { id, candidateId: charge!.id };
  const edit = (category_code: string) => ({ params, body: { action: "edit" as const, data: { category_code } } });
  expect((await office.attempt("resolveImportCandidate", edit("5000"))).body.errors).toMatchObject([{ path: "data.category_code" }]);
  expect((await office.call("resolveImportCandidate", edit("4090"))).candidate).toMatchObject({ status: "ready_create", errors: [] });
});

test("texts that are longer than their records accept are errors of their cells", async () => {
  const office = await anOffice();
  const long = "x".repeat(161);
  const { id } = await prepareBundle(office, {
    properties: [
      "source_id,name,street_line1,city,state,postal_code",
      `P-1,${"x".repeat(121)},${long},${"x".repeat(121)},NY,12207`,
      "P-2,Oak,1 Oak St,Albany,NY,12207",
    ],
    vendors: ["source_id,name,trade", `V-1,Pat,${long}`],
    work_orders: ["source_id,property_source_id,title", `W-1,P-2,${long}`],
    expenses: ["source_id,property_source_id,date,category,amount,label,invoice_number", `E-1,P-2,${START},other,10.00,${long},${long}`],
  });
  expect(await errorsOf(office, id, "property")).toEqual([
    ["P-1", "invalid", "name format", "street_line1 format", "city format"],
    ["P-2", "ready_create"],
  ]);
  expect(await errorsOf(office, id, "vendor")).toEqual([["V-1", "invalid", "trade format"]]);
  expect(await errorsOf(office, id, "work_order")).toEqual([["W-1", "invalid", "title format"]]);
  expect(await errorsOf(office, id, "expense")).toEqual([["E-1", "invalid", "label format", "invoice_number format"]]);
});

test("the rent that a lease charges by itself does not change alone, and changes with its lease", async () => {
  const office = await anOffice();
  const sheets = (rent: string, amount: string): Sheets => ({
    ...withLeases(running.replace("1000.00", rent)),
    recurring_charges: ["source_id,lease_source_id,label,kind,amount,start_date", `R-1,L-1,Rent,rent,${amount},${START}`],
  });
  await importSheets(office, sheets("1000.00", "1000.00"));
  const alone = await prepareBundle(office, sheets("1000.00", "1100.00"));
  expect(await errorsOf(office, alone.id, "recurring_charge")).toEqual([["R-1", "invalid", "amount not_allowed"]]);
  const both = await prepareBundle(office, sheets("1100.00", "1100.00"));
  expect(await errorsOf(office, both.id, "recurring_charge")).toEqual([["R-1", "ready_update"]]);
  expect(await writeBundle(office, both.id)).toMatchObject({ status: "completed" });
});

test("a changed lease that would hold its unit on days of another one is an error, in the bundle and in Freehold", async () => {
  const office = await anOffice();
  const next = `L-2,U-1,T-2,,fixed,pending,${NEXT},${LAST},1000.00`;
  await importSheets(office, withLeases(running, next));
  const extended = running.replace(END, addDays(NEXT, 10));
  for (const sheets of [withLeases(extended, next), withLeases(extended)]) {
    const { id } = await prepareBundle(office, sheets);
    expect((await errorsOf(office, id, "lease"))[0]).toEqual(["L-1", "invalid", "start_date overlap"]);
  }
});

test("a lease takes the days that another one frees in the same bundle, whatever the order of the rows", async () => {
  const office = await anOffice();
  await importSheets(office, withLeases(running, `L-2,U-1,T-2,,fixed,pending,${NEXT},${LAST},1000.00`));
  const { id, counts } = await prepareBundle(
    office,
    withLeases(running.replace(END, addDays(NEXT, 9)), `L-2,U-1,T-2,,fixed,pending,${addDays(NEXT, 10)},${LAST},1000.00`),
  );
  expect(counts.byEntity["lease"]).toEqual({ ready_update: 2 });
  expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
});

test("two leases that exchange their units in one bundle are errors, and a lease that moves to a free unit is not", async () => {
  const office = await anOffice();
  const lease = (n: number, unit: string) => `L-${n},${unit},T-${n},,fixed,pending,${NEXT},${LAST},1000.00`;
  await importSheets(office, withLeases(lease(1, "U-1"), lease(2, "U-2")));
  const { id } = await prepareBundle(office, withLeases(lease(1, "U-2"), lease(2, "U-1")));
  const exchange = ["invalid", "unit_source_id overlap"];
  expect(await errorsOf(office, id, "lease")).toEqual([
    ["L-1", ...exchange],
    ["L-2", ...exchange],
  ]);
  const units = [...portfolio.units, "U-3,P-1,3,1000.00"];
  const chain = await prepareBundle(office, { ...withLeases(lease(1, "U-2"), lease(2, "U-3")), units });
  expect(await errorsOf(office, chain.id, "lease")).toEqual([
    ["L-1", ...exchange],
    ["L-2", "ready_update"],
  ]);
});

test("a rent besides that of the lease, which has an end of its own, changes alone", async () => {
  const office = await anOffice();
  const sheets = (amount: string): Sheets => ({
    ...withLeases(running),
    recurring_charges: ["source_id,lease_source_id,label,kind,amount,start_date,end_date", `R-1,L-1,Rent,rent,${amount},${START},${addDays(END, -1)}`],
  });
  await importSheets(office, sheets("1000.00"));
  const changed = await prepareBundle(office, sheets("1100.00"));
  expect(await errorsOf(office, changed.id, "recurring_charge")).toEqual([["R-1", "ready_update"]]);
  expect(await writeBundle(office, changed.id)).toMatchObject({ status: "completed" });
});

test("a lease that moves into a unit which another lease of the bundle holds is an error", async () => {
  const office = await anOffice();
  const lease = (unit: string) => `L-2,${unit},T-2,,fixed,pending,${addDays(DAY, 30)},${LAST},1000.00`;
  await importSheets(office, withLeases(running, lease("U-2")));
  const { id } = await prepareBundle(office, withLeases(running, lease("U-1")));
  expect(await errorsOf(office, id, "lease")).toEqual([
    ["L-1", "unchanged"],
    ["L-2", "invalid", "start_date overlap"],
  ]);
});
