/** Rows of leases and work orders whose status differs from that of their last import: the record takes it, or the row is refused. */
import { expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays, addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { listAllCandidates } from "../../test/bundles.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const DAY = today("America/New_York");
const [START, END, FUTURE, LATER] = [addDays(DAY, -300), addDays(DAY, 70), addDays(DAY, 40), addDays(DAY, 400)];
const PAST = { begin: addDays(DAY, -700), end: addDays(DAY, -400), otherEnd: addDays(DAY, -350) };
const RUNNING = `${START},${LATER}`;
const TO_COME = `${FUTURE},${LATER}`;
const OVER = `${PAST.begin},${PAST.end}`;
const OTHER_END = `${PAST.begin},${PAST.otherEnd}`;

/** Sheets with one lease for each row, given as its status, first and last day. */
const sheetsWith = (rows: readonly string[], terms = "1000.00,,,"): Sheets => ({
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", ...rows.map((_, n) => `U-${n},P-1,${n},1000.00`)],
  tenants: ["source_id,full_name,email", ...rows.map((_, n) => `T-${n},Tenant ${n},tenant${n}@example.com`)],
  leases: [
    "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,rent,move_in_date,late_fee_type,late_fee_amount",
    ...rows.map((row, n) => `L-${n},U-${n},T-${n},fixed,${row},${terms}`),
  ],
});

async function importChanged(office: Office, before: Sheets, after: Sheets) {
  await writeBundle(office, (await prepareBundle(office, before)).id);
  const { id } = await prepareBundle(office, after);
  const candidates = await listAllCandidates(office, id);
  return { candidates, written: await writeBundle(office, id) };
}
const leasesByUnit = async (office: Office) => (await office.call("listLeases", { query: { sortBy: "unitNumber", sortDirection: "asc" } })).leases;

test("a lease whose status has changed since its last import takes it, as a new lease would", async () => {
  const office = await anOffice();
  const cases = [
    [`draft,${TO_COME}`, `pending,${TO_COME}`, { status: "pending" }],
    [`draft,${RUNNING}`, `pending,${RUNNING}`, { status: "active" }],
    [`draft,${RUNNING}`, `active,${START},${END}`, { status: "active", endDate: END }],
    [`draft,${TO_COME}`, `cancelled,${TO_COME}`, { status: "cancelled" }],
    [`draft,${TO_COME}`, `terminated,${FUTURE},${END}`, { status: "cancelled" }],
    [`pending,${TO_COME}`, `terminated,${FUTURE},${END}`, { status: "cancelled" }],
    [`expired,${OVER}`, `terminated,${OTHER_END}`, { status: "terminated", terminationDate: PAST.otherEnd }],
    [`active,${RUNNING}`, `expired,${START},${addDays(DAY, -40)}`, { status: "terminated", terminationDate: addDays(DAY, -40) }],
  ] as const;
  const [before, after] = [sheetsWith(cases.map(([row]) => row)), sheetsWith(cases.map(([, row]) => row))];
  const { written } = await importChanged(office, before, after);
  expect(written).toMatchObject({ status: "completed", counts: { ready_update: cases.length } });
  expect(await leasesByUnit(office)).toMatchObject(cases.map(([, , lease]) => lease));
  expect((await prepareBundle(office, after)).counts).toMatchObject({ ready_update: 0, invalid: 0 });
});

test("a lease that a changed row terminates has the other changes of the row, too", async () => {
  const office = await anOffice();
  const changed = sheetsWith([`terminated,${START},${END}`], `1200.00,${addDays(START, 4)},flat,25.00`);
  const { written } = await importChanged(office, sheetsWith([`active,${RUNNING}`]), changed);
  expect(written).toMatchObject({ status: "completed" });
  const [lease] = await leasesByUnit(office);
  expect(lease).toMatchObject({ status: "terminated", terminationDate: END, moveInDate: addDays(START, 4), lateFeeType: "flat", lateFeeAmountCents: 2_500 });
  const { recurringChargeRules } = await office.call("listRecurringCharges", { query: { leaseId: lease!.id } });
  const nextMonth = addMonths(startOfMonth(DAY), 1);
  expect(recurringChargeRules.map(({ amountCents, startDate, endDate }) => ({ amountCents, startDate, endDate }))).toContainEqual({
    amountCents: 120_000,
    startDate: nextMonth,
    endDate: END,
  });
});

test("a status to which an import does not bring the lease is an error of the row before anything is written, with the remedy", async () => {
  const office = await anOffice();
  const cases = [
    [`active,${RUNNING}`, `draft,${RUNNING}`, /^The lease is active in Freehold, and an import does not make it draft: status was active and is draft\. If it/],
    [`active,${RUNNING}`, `cancelled,${RUNNING}`, /terminate it in Freehold/],
    [`pending,${TO_COME}`, `draft,${TO_COME}`, /Delete it in Freehold/],
    [`draft,${RUNNING}`, `expired,${START},${addDays(DAY, -40)}`, /Delete it in Freehold and validate the import again, so that the row creates it anew/],
    [`draft,${RUNNING}`, `terminated,${START},${addDays(DAY, -40)}`, /Delete it in Freehold/],
    [`terminated,${OVER}`, `active,${RUNNING}`, /add a row with its own source_id/],
    [
      `terminated,${OVER}`,
      `expired,${OTHER_END}`,
      new RegExp(`^The lease ended on ${PAST.end} in Freehold, and an import does not move its end to ${PAST.otherEnd}`),
    ],
    [`expired,${OVER}`, `cancelled,${OVER}`, /restore status in the file, or exclude the row\.$/],
    [`cancelled,${RUNNING}`, `terminated,${START},${addDays(DAY, -40)}`, /add a row with its own source_id/],
  ] as const;
  const { candidates, written } = await importChanged(office, sheetsWith(cases.map(([row]) => row)), sheetsWith(cases.map(([, row]) => row)));
  expect(written).toMatchObject({ status: "completed_with_errors", counts: { ready_update: 0, invalid: cases.length } });
  const errors = candidates.filter(({ entityType }) => entityType === "lease").map((lease) => lease.errors.find(({ path }) => path === "status"));
  expect(errors).toEqual(cases.map(([, , message]) => ({ path: "status", code: "not_allowed", message: expect.stringMatching(message) })));
  const statuses = (await leasesByUnit(office)).map(({ status }) => status);
  expect(statuses).toEqual(cases.map(([row]) => row.split(",")[0]));
});

test("a lease that has ended on the day of its row is unchanged, whether the row says terminated or expired", async () => {
  const office = await anOffice();
  const rows = (status: string) => sheetsWith([`${status},${OVER}`]);
  const { written } = await importChanged(office, rows("terminated"), rows("expired"));
  expect(written.counts).toMatchObject({ unchanged: 4, ready_update: 0, invalid: 0 });
});

/** Imports one lease, changes it in the office, and returns the candidate of its changed row with the written bundle. */
async function importAround(before: string, change: (office: Office, leaseId: string) => Promise<unknown>, after: string, terms?: string) {
  const office = await anOffice();
  await writeBundle(office, (await prepareBundle(office, sheetsWith([before]))).id);
  const [lease] = await leasesByUnit(office);
  await change(office, lease!.id);
  const { id } = await prepareBundle(office, sheetsWith([after], terms));
  const row = (await listAllCandidates(office, id)).find(({ entityType }) => entityType === "lease")!;
  return { office, row, written: await writeBundle(office, id) };
}
const terminateOn = (terminationDate: string) => (office: Office, id: string) =>
  office.call("terminateLease", { params: { id }, body: { terminationDate, reason: "Moved out.", finalRent: "full" } });

test("a lease that the office has terminated on the last day of a terminated row is unchanged", async () => {
  const { office, row, written } = await importAround(`active,${RUNNING}`, terminateOn(END), `terminated,${START},${END}`);
  expect([row.status, row.changes, row.errors, written.status]).toEqual(["unchanged", [], [], "completed"]);
  expect(await leasesByUnit(office)).toMatchObject([{ status: "terminated", terminationDate: END }]);
});

test("other terms of a lease that has ended in Freehold, or another end, are errors of the row before anything is written", async () => {
  const moved = await importAround(`active,${RUNNING}`, terminateOn(END), `active,${START},${addDays(LATER, 1)}`, "1200.00,,flat,25.00");
  expect(moved.row.errors.map(({ path }) => path).toSorted()).toEqual(["end_date", "late_fee_amount", "late_fee_type", "rent"]);
  expect(moved.row.errors.find(({ path }) => path === "end_date")!.message).toMatch(`The lease ended on ${END} in Freehold`);
  const ended = await importAround(`expired,${OVER}`, async () => {}, `terminated,${OTHER_END}`, "1000.00,,flat,25.00");
  expect(ended.row).toMatchObject({ status: "invalid", errors: [{ path: "late_fee_type" }, { path: "late_fee_amount" }] });
  expect(ended.row.errors[0]!.message).toBe(
    "The lease is expired in Freehold and cannot be changed: late_fee_type was empty and is flat. Restore late_fee_type in the file, or exclude the row.",
  );
});

test("a pending row of a lease that has begun is the active lease, also when the office has activated the draft", async () => {
  const activate = (office: Office, id: string) => office.call("activateLease", { params: { id }, body: {} });
  const { row, written } = await importAround(`draft,${RUNNING}`, activate, `pending,${RUNNING}`);
  expect([row.status, row.errors, written.status]).toEqual(["unchanged", [], "completed"]);
  const active = await importAround(`active,${RUNNING}`, async () => {}, `pending,${RUNNING}`);
  expect([active.row.status, active.row.errors]).toEqual(["unchanged", []]);
});

test("another co-tenant in a row of leases is added and changes nothing of the lease; money of the co-tenant is found on the lease later", async () => {
  const office = await anOffice();
  const withCoTenant = (name: string): Sheets => ({
    properties: ["name,street_line1,city,state,postal_code", "Maple Court,12 Maple Street,Albany,NY,12207"],
    units: ["property_name,unit_number,monthly_rent", "Maple Court,0,1000.00"],
    tenants: ["full_name", "Ana Active", "Cleo Cotenant", "Dan Later"],
    leases: ["property_name,unit_number,primary_tenant_name,co_tenants,start_date,rent", `Maple Court,0,Ana Active,${name},${START},1000.00`],
  });
  const { candidates, written } = await importChanged(office, withCoTenant("Cleo Cotenant"), withCoTenant("Dan Later"));
  expect(written.status).toBe("completed");
  expect(candidates.filter(({ status }) => status !== "unchanged").map(({ entityType, status }) => [entityType, status])).toEqual([
    ["occupant", "ready_create"],
  ]);
  const payment = await prepareBundle(office, {
    payments: ["source_id,property_name,unit_number,tenant_name,received_date,amount", `X-1,Maple Court,0,Dan Later,${DAY},20.00`],
  });
  expect(payment.counts).toMatchObject({ ready_create: 1, invalid: 0 });
});

/** Sheets with one lease whose source ids begin with the prefix. */
const prefixedSheets = (prefix: string, row: string): Sheets =>
  Object.fromEntries(
    Object.entries(sheetsWith([row])).map(([name, lines]) => [name, lines.map((line) => line.replaceAll(/\b[PUTL]-/g, (id) => `${prefix}${id}`))]),
  );

test("a new row that matches a lease which does not take its status is an error of the row", async () => {
  const office = await anOffice();
  const { candidates, written } = await importChanged(office, prefixedSheets("old", `active,${RUNNING}`), prefixedSheets("new", `cancelled,${RUNNING}`));
  expect(candidates.find(({ entityType }) => entityType === "lease")).toMatchObject({ status: "invalid", errors: [{ path: "status", code: "not_allowed" }] });
  expect(written.status).toBe("completed_with_errors");
});

test("a new row that matches a lease which has ended on its day is unchanged", async () => {
  const office = await anOffice();
  await writeBundle(office, (await prepareBundle(office, prefixedSheets("old", `active,${RUNNING}`))).id);
  await terminateOn(END)(office, (await leasesByUnit(office))[0]!.id);
  const { id } = await prepareBundle(office, prefixedSheets("new", `terminated,${START},${END}`));
  const lease = (await listAllCandidates(office, id)).find(({ entityType }) => entityType === "lease")!;
  expect([lease.status, lease.changes, lease.errors]).toEqual(["unchanged", [], []]);
});

test("an existing lease that a new row matches is ended when the row has ended", async () => {
  const office = await anOffice();
  const { candidates, written } = await importChanged(office, prefixedSheets("old", `active,${RUNNING}`), prefixedSheets("new", `terminated,${START},${END}`));
  const lease = candidates.find(({ entityType }) => entityType === "lease")!;
  expect([written.status, lease.status, lease.changes]).toEqual([
    "completed",
    "ready_update",
    expect.arrayContaining([{ field: "status", from: "active", to: "terminated" }]),
  ]);
  expect(await leasesByUnit(office)).toMatchObject([{ status: "terminated", terminationDate: END }]);
});

test("a work order whose status has changed takes it with the other changes, and a finished one refuses it", async () => {
  const office = await anOffice();
  const sheets = (...rows: string[]): Sheets => ({
    properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
    vendors: ["source_id,name", "V-1,Pipes"],
    work_orders: ["source_id,property_source_id,title,status,vendor_source_id,created_date,completed_date", ...rows.map((row, n) => `W-${n},P-1,${row}`)],
  });
  const { written } = await importChanged(
    office,
    sheets(`Tap,open,,${START},`, `Door,in_progress,,${START},`, `Roof,in_progress,,${START},`, `Lamp,open,,${START},`),
    sheets(`Both taps,completed,V-1,${START},${addDays(START, 9)}`, `Door,open,,${START},`, `Roof,cancelled,,${START},`, `Lamp,in_progress,,${START},`),
  );
  expect(written).toMatchObject({ status: "completed_with_errors", counts: { ready_update: 3, invalid: 1 } });
  const { workOrders } = await office.call("listWorkOrders", { query: { sortBy: "createdAt", sortDirection: "asc" } });
  const [vendor] = (await office.call("listVendors")).vendors;
  expect(new Set(workOrders.map(({ title, status, vendorId }) => [title, status, vendorId].join(" ").trim()))).toEqual(
    new Set([`Both taps completed ${vendor!.id}`, "Door in_progress", "Roof cancelled", "Lamp in_progress"]),
  );
  expect(workOrders.find(({ status }) => status === "completed")!.completedAt).toMatch(new RegExp(`^${addDays(START, 9)}`));
  const { candidates } = await office.call("listImportCandidates", { params: { id: written.id }, query: { status: "invalid" } });
  expect(candidates.flatMap(({ errors }) => errors)).toEqual([
    {
      path: "status",
      code: "not_allowed",
      message: expect.stringMatching(/^The work order is in_progress in Freehold, and does not become open: status was in_progress/),
    },
  ]);
});
