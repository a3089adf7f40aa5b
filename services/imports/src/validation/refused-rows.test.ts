/** Rows that the services would refuse because of other rows of the bundle: the dry run says so. */
import { describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { eventually } from "../../../../test/support/eventually.ts";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { listAllCandidates, validateBundle } from "../../test/bundles.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const [START, PAST, FUTURE] = [addDays(today("America/New_York"), -300), addDays(today("America/New_York"), -30), addDays(today("America/New_York"), 60)];
const portfolio = {
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", ...[1, 2, 3].map((n) => `U-${n},P-1,${n},1000.00`)],
  tenants: ["source_id,full_name", ...[1, 2, 3].map((n) => `T-${n},Tenant ${n}`)],
} satisfies Sheets;
const LEASES = "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,end_date,rent";

/** Returns the statuses of the candidates of a type by source id, and the fields and codes of their errors. */
async function statusesOf(office: Office, id: string, ...entityTypes: string[]) {
  const candidates = await listAllCandidates(office, id, {});
  return candidates.flatMap(({ entityType, sourceId, status, errors }) =>
    entityTypes.includes(entityType) ? [[sourceId, status, ...errors.map(({ path, code }) => `${path} ${code}`)]] : [],
  );
}
const resolve = async (
  office: Office,
  id: string,
  sourceId: string,
  body: { action: "exclude" | "reset" } | { action: "edit"; data: Record<string, string> },
) => {
  const candidate = (await listAllCandidates(office, id)).find((each) => each.sourceId === sourceId)!;
  return office.call("resolveImportCandidate", { params: { id, candidateId: candidate.id }, body });
};

test("a recurring charge of a lease that is not in force, and money of a cancelled one, are invalid until the lease is corrected", async () => {
  const office = await anOffice();
  const { id } = await prepareBundle(office, {
    ...portfolio,
    leases: [
      LEASES,
      `L-1,U-1,T-1,fixed,terminated,${START},${PAST},1000.00`,
      `L-2,U-2,T-2,fixed,cancelled,${START},${FUTURE},1000.00`,
      `L-3,U-3,T-3,fixed,terminated,${START},${FUTURE},1000.00`,
    ],
    recurring_charges: ["source_id,lease_source_id,label,amount,start_date", ...[1, 2, 3].map((n) => `R-${n},L-${n},Pet,20.00,${START}`)],
    charges: ["source_id,lease_source_id,date,type,amount", ...[1, 2].map((n) => `C-${n},L-${n},${START},rent,10.00`)],
    deposits: ["source_id,lease_source_id,amount_held", ...[1, 2].map((n) => `D-${n},L-${n},10.00`)],
    payments: ["source_id,lease_source_id,received_date,amount", ...[1, 2].map((n) => `M-${n},L-${n},${START},10.00`)],
  });
  const money = () => statusesOf(office, id, "recurring_charge", "charge", "deposit", "payment");
  const refused = ["invalid", "lease_source_id not_allowed"];
  expect(new Set(await money())).toEqual(
    new Set([
      ...["C-1", "~L-1", "M-1", "R-3"].map((each) => [each, "ready_create"]),
      ...["C-2", "~L-2", "M-2", "R-1", "R-2"].map((each) => [each, ...refused]),
    ]),
  );
  await resolve(office, id, "L-2", { action: "edit", data: { status: "active" } });
  expect((await money()).filter(([, status]) => status !== "ready_create")).toEqual([["R-1", ...refused]]);
  expect(await writeBundle(office, id)).toMatchObject({ status: "completed_with_errors" });
  expect((await money()).filter(([, status]) => status !== "ready_create")).toEqual([["R-1", ...refused]]);
});

test("an expired lease with an end in the future, and a lease without a unit, are errors, and their rows are blocked", async () => {
  const office = await anOffice();
  const { id } = await prepareBundle(office, {
    ...portfolio,
    leases: [
      "source_id,unit_number,property_name,primary_tenant_source_id,term_type,status,start_date,end_date,rent",
      `L-1,1,Maple Court,T-1,fixed,expired,${START},${FUTURE},1000.00`,
      `L-2,,Maple Court,T-2,fixed,active,${START},${FUTURE},1000.00`,
    ],
    charges: ["source_id,lease_source_id,date,type,amount", `C-1,L-1,${START},rent,10.00`, `C-2,L-2,${START},rent,10.00`],
  });
  expect(await statusesOf(office, id, "lease", "charge")).toEqual([
    ["L-1", "invalid", "end_date not_allowed"],
    ["L-2", "missing_source_data", "unit_number required"],
    ["C-1", "blocked"],
    ["C-2", "blocked"],
  ]);
});

test("a new lease on days of another new lease of its unit is invalid until one of them is corrected", async () => {
  const office = await anOffice();
  const leases = [
    LEASES,
    `L-1,U-1,T-1,fixed,expired,${addDays(START, -365)},${addDays(START, -1)},1000.00`,
    `L-2,U-1,T-2,month_to_month,active,${START},,1000.00`,
    `L-3,U-1,T-3,fixed,pending,${FUTURE},${addDays(FUTURE, 365)},1000.00`,
    `L-4,U-2,T-1,month_to_month,terminated,${START},${addDays(FUTURE, -1)},1000.00`,
    `L-5,U-2,T-3,fixed,pending,${FUTURE},${addDays(FUTURE, 365)},1000.00`,
    `L-6,U-2,T-2,fixed,cancelled,${START},${FUTURE},1000.00`,
  ];
  const { id } = await prepareBundle(office, { ...portfolio, leases });
  const statuses = async () => (await statusesOf(office, id, "lease")).map(([, ...status]) => status.join(" "));
  const ready = "ready_create";
  expect(await statuses()).toEqual([ready, ready, "invalid start_date overlap", ready, ready, ready]);
  await resolve(office, id, "L-2", { action: "edit", data: { term_type: "fixed", end_date: PAST } });
  await validateBundle(office, id);
  expect(await statuses()).toEqual([ready, ready, ready, ready, ready, ready]);
  expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
  await eventually("expired lease", async () => {
    const { leases: written } = await office.call("listLeases");
    return written.some(({ status, startDate }) => status === "expired" && startDate === START) || undefined;
  });
  // The row of a lease that has ended since says nothing about the days of a new one, and does not change its term.
  const again = await prepareBundle(office, {
    ...portfolio,
    leases: [...leases, `L-7,U-1,T-1,fixed,active,${addDays(PAST, 5)},${addDays(FUTURE, -5)},1000.00`],
  });
  expect(again.counts.byEntity["lease"]).toEqual({ invalid: 1, unchanged: 5, ready_create: 1 });
});

test("an edited lease that overlaps a later row makes that row invalid and blocks its money", async () => {
  const office = await anOffice();
  const { id } = await prepareBundle(office, {
    ...portfolio,
    leases: [LEASES, `L-1,U-1,T-1,fixed,terminated,${START},${addDays(PAST, -1)},1000.00`, `L-2,U-1,T-2,month_to_month,active,${PAST},,1000.00`],
    charges: ["source_id,lease_source_id,date,type,amount", `C-1,L-2,${PAST},rent,10.00`],
  });
  await resolve(office, id, "L-1", { action: "edit", data: { end_date: FUTURE } });
  expect(await statusesOf(office, id, "lease", "charge")).toEqual([
    ["L-1", "ready_create"],
    ["L-2", "invalid", "start_date overlap"],
    ["C-1", "blocked"],
  ]);
  expect((await office.call("getImportBundle", { params: { id } })).importBundle.counts).toMatchObject({ invalid: 1, blocked: 1 });
});

test("money of a matched lease is invalid if the row cancels the lease, and if the lease is imported as a new, cancelled one", async () => {
  const office = await anOffice();
  const lease = (sourceId: string, status: string) => ({
    ...portfolio,
    leases: [LEASES, `${sourceId},U-1,T-1,fixed,${status},${FUTURE},${addDays(FUTURE, 300)},1000.00`],
  });
  await writeBundle(office, (await prepareBundle(office, lease("L-1", "draft"))).id);
  const { id } = await prepareBundle(office, {
    ...lease("L-2", "cancelled"),
    charges: ["source_id,lease_source_id,date,type,amount", `C-1,L-2,${START},rent,10.00`],
  });
  const statuses = () => statusesOf(office, id, "lease", "charge");
  const refused = ["C-1", "invalid", "lease_source_id not_allowed"];
  expect(await statuses()).toEqual([["L-2", "ready_update"], refused]);
  await office.call("resolveImportCandidates", { params: { id }, body: { status: ["ready_update"], entityType: ["lease"], action: "create" } });
  expect(await statuses()).toEqual([["L-2", "ready_create"], refused]);
  await resolve(office, id, "L-2", { action: "edit", data: { status: "draft" } });
  expect(await statuses()).toEqual([
    ["L-2", "ready_create"],
    ["C-1", "ready_create"],
  ]);
});

describe("shares of a property", () => {
  const SHARES = "property_source_id,owner_source_id,share_percent,effective_date";
  const owners = (...shares: string[]) => ({
    properties: portfolio.properties,
    owners: ["source_id,full_name,email", ...[1, 2, 3].map((n) => `O-${n},Owner ${n},owner-${n}@example.com`)],
    ownership: [SHARES, ...shares],
  });
  const refused = ["invalid", "share_percent mismatch"];

  test("of more or less than 100 % are invalid until they are corrected, and those of another day are others", async () => {
    const office = await anOffice();
    const shares = ["P-1,O-1,100,2024-01-01", "P-1,O-2,60,2025-01-01", "P-1,O-2,60,2025-01-01", "P-1,O-3,60,2025-01-01", "P-1,O-1,99.99,2026-01-01"];
    const { id } = await prepareBundle(office, owners(...shares));
    expect(await statusesOf(office, id, "ownership")).toEqual([
      ["~P-1/O-1/2024-01-01", "ready_create"],
      ["~P-1/O-2/2025-01-01", ...refused],
      ["~P-1/O-2/2025-01-01", "duplicate_merged"],
      ["~P-1/O-3/2025-01-01", ...refused],
      ["~P-1/O-1/2026-01-01", ...refused],
    ]);
    await resolve(office, id, "~P-1/O-3/2025-01-01", { action: "edit", data: { share_percent: "40" } });
    await resolve(office, id, "~P-1/O-1/2026-01-01", { action: "edit", data: { share_percent: "100" } });
    const ready = ["ready_create", "ready_create", "duplicate_merged", "ready_create", "ready_create"];
    const statuses = async () => (await statusesOf(office, id, "ownership")).map(([, ...status]) => status.join(" "));
    expect(await statuses()).toEqual(ready);
    await validateBundle(office, id);
    expect(await statuses()).toEqual(ready);
    expect(await writeBundle(office, id)).toMatchObject({ status: "completed" });
    const again = await prepareBundle(office, owners("P-1,O-1,100,2024-01-01", "P-1,O-2,50,2025-01-01", "P-1,O-3,40,2025-01-01"));
    expect(await statusesOf(office, again.id, "ownership")).toEqual([
      ["~P-1/O-1/2024-01-01", "unchanged"],
      ["~P-1/O-2/2025-01-01", ...refused],
      ["~P-1/O-3/2025-01-01", "unchanged"],
    ]);
  });

  test("count only if they can be written: that of an unknown owner does not, nor does that of an excluded one", async () => {
    const office = await anOffice();
    const { id } = await prepareBundle(office, owners("P-1,O-1,60,", "P-1,O-2,40,", "P-1,O-9,40,"));
    expect(await statusesOf(office, id, "ownership")).toEqual([
      ["~P-1/O-1", "ready_create"],
      ["~P-1/O-2", "ready_create"],
      ["~P-1/O-9", "invalid", "owner_source_id not_found"],
    ]);
    await resolve(office, id, "O-2", { action: "exclude" });
    expect((await statusesOf(office, id, "ownership")).slice(0, 2)).toEqual([
      ["~P-1/O-1", ...refused],
      ["~P-1/O-2", "blocked"],
    ]);
    await resolve(office, id, "O-2", { action: "reset" });
    expect((await statusesOf(office, id, "ownership")).slice(0, 2).map(([, status]) => status)).toEqual(["ready_create", "ready_create"]);
  });
});

test("a changed row of a finished work order is invalid, unless it says what the work order is already", async () => {
  const office = await anOffice();
  const sheets = (...rows: string[]) => ({
    properties: portfolio.properties,
    work_orders: ["source_id,property_source_id,title,status,created_date,completed_date", ...rows.map((row, n) => `W-${n},P-1,${row}`)],
  });
  const before = [`Tap,completed,${START},${PAST}`, `Door,cancelled,${START},`, `Roof,in_progress,${START},`, `Lamp,open,${START},`];
  await writeBundle(office, (await prepareBundle(office, sheets(...before))).id);
  const { workOrders } = await office.call("listWorkOrders");
  const { id: lampId } = workOrders.find(({ title }) => title === "Lamp")!;
  for (const status of ["in_progress", "completed"] as const) await office.call("transitionWorkOrder", { params: { id: lampId }, body: { status } });
  const changed = sheets(`Both taps,completed,${START},${PAST}`, `Door,open,${START},`, `Roof,open,${START},`, `Lamp,completed,${START},${PAST}`);
  const { id } = await prepareBundle(office, changed);
  expect(await statusesOf(office, id, "work_order")).toEqual([
    ["W-0", "invalid", "title not_allowed"],
    ["W-1", "invalid", "status not_allowed"],
    ["W-2", "invalid", "status not_allowed"],
    ["W-3", "unchanged"],
  ]);
  const { candidates } = await office.call("listImportCandidates", { params: { id }, query: { status: "invalid" } });
  expect(candidates[0]!.errors[0]!.message).toBe(
    "The work order is completed in Freehold and cannot be changed: title was Tap and is Both taps. " +
      "Create another work order in Freehold for further work, and restore title in the file, or exclude the row.",
  );
});

test("a running lease whose changed row is expired on a later day is invalid", async () => {
  const office = await anOffice();
  const lease = (status: string) => ({ ...portfolio, leases: [LEASES, `L-1,U-1,T-1,fixed,${status},${START},${FUTURE},1000.00`] });
  await writeBundle(office, (await prepareBundle(office, lease("active"))).id);
  const { id } = await prepareBundle(office, lease("expired"));
  expect(await statusesOf(office, id, "lease")).toEqual([["L-1", "invalid", "end_date not_allowed"]]);
});

describe("new rows on leases that were imported before", () => {
  const lease = (n: number, status: string, start: string, end: string) => `L-${n},U-${n},T-${n},fixed,${status},${start},${end},1000.00`;
  const leases = [LEASES, lease(1, "terminated", START, PAST), lease(2, "cancelled", START, FUTURE), lease(3, "active", START, FUTURE)];
  const money = {
    recurring_charges: ["source_id,lease_source_id,label,amount,start_date", ...[1, 2, 3].map((n) => `R-${n},L-${n},Pet,20.00,${START}`)],
    charges: ["source_id,lease_source_id,date,type,amount", ...[1, 2, 3].map((n) => `C-${n},L-${n},${START},rent,10.00`)],
  };
  const expected = [
    ["R-1", "invalid", "lease_source_id not_allowed"],
    ["R-2", "invalid", "lease_source_id not_allowed"],
    ["R-3", "ready_create"],
    ["C-1", "ready_create"],
    ["C-2", "invalid", "lease_source_id not_allowed"],
    ["C-3", "ready_create"],
  ];

  test.each([
    ["in the bundle", { ...portfolio, leases, ...money }],
    ["in an earlier bundle only", money],
  ])("%s are invalid if the lease takes no money, and those that were written before stay unchanged", async (_, sheets) => {
    const office = await anOffice();
    await writeBundle(office, (await prepareBundle(office, { ...portfolio, leases })).id);
    const { id } = await prepareBundle(office, sheets);
    expect(await statusesOf(office, id, "recurring_charge", "charge")).toEqual(expected);
    expect((await writeBundle(office, id)).counts).toMatchObject({ invalid: 3 });
    const lease3 = (await office.call("listLeases")).leases.find(({ status }) => status === "active")!;
    const termination = { terminationDate: PAST, reason: "Moved out." } as const;
    await office.call("terminateLease", { params: { id: lease3.id }, body: termination });
    const again = await prepareBundle(office, sheets);
    expect(await statusesOf(office, again.id, "recurring_charge", "charge")).toEqual(
      expected.map(([sourceId, status, ...errors]) => [sourceId, status === "ready_create" ? "unchanged" : status, ...errors]),
    );
  });

  test("that overlap one of them are invalid, whether the file has the other lease or not, and so is a draft that is activated", async () => {
    const office = await anOffice();
    const draft = (status: string) => `L-4,U-3,T-1,fixed,${status},${addDays(START, 5)},${addDays(FUTURE, 20)},1000.00`;
    await writeBundle(office, (await prepareBundle(office, { ...portfolio, leases: [LEASES, lease(3, "active", START, FUTURE), draft("draft")] })).id);
    const next = (start: string) => `L-5,U-3,T-2,fixed,pending,${start},${addDays(FUTURE, 300)},1000.00`;
    const whole = await prepareBundle(office, { ...portfolio, leases: [LEASES, lease(3, "active", START, FUTURE), draft("active"), next(FUTURE)] });
    expect(await statusesOf(office, whole.id, "lease")).toEqual([
      ["L-3", "unchanged"],
      ["L-4", "invalid", "start_date overlap"],
      ["L-5", "invalid", "start_date overlap"],
    ]);
    const alone = await prepareBundle(office, { leases: [LEASES, next(FUTURE)] });
    expect(await statusesOf(office, alone.id, "lease")).toEqual([["L-5", "invalid", "start_date overlap"]]);
    const after = await prepareBundle(office, { leases: [LEASES, next(addDays(FUTURE, 1))] });
    expect(await writeBundle(office, after.id)).toMatchObject({ status: "completed" });
  });
});

test("a payment that names the charge of another lease is invalid", async () => {
  const office = await anOffice();
  const lease = (n: number) => `L-${n},U-${n},T-${n},fixed,active,${START},${FUTURE},1000.00`;
  const sheets = {
    ...portfolio,
    leases: [LEASES, lease(1), lease(2)],
    charges: ["source_id,lease_source_id,date,type,amount", ...[1, 2].map((n) => `C-${n},L-${n},${START},rent,10.00`)],
  };
  const payments = ["source_id,lease_source_id,received_date,amount,applied_to_charge_source_id", `M-1,L-1,${START},10.00,C-2`, `M-2,L-2,${START},10.00,C-2`];
  const expected = [
    ["M-1", "invalid", "applied_to_charge_source_id mismatch"],
    ["M-2", "ready_create"],
  ];
  const first = await prepareBundle(office, { ...sheets, payments });
  expect(await statusesOf(office, first.id, "payment")).toEqual(expected);
  await writeBundle(office, (await prepareBundle(office, sheets)).id);
  const later = await prepareBundle(office, { ...sheets, payments });
  expect(await statusesOf(office, later.id, "payment")).toEqual(expected);
});

test("a pending lease with a deposit keeps its first day, rent, unit and tenant, and is not cancelled; a draft may begin on another day", async () => {
  const office = await anOffice();
  const later = addDays(FUTURE, 9);
  const sheets = (...rows: string[]) => ({
    ...portfolio,
    leases: [LEASES, ...rows],
    deposits: ["source_id,lease_source_id,amount_held", ...[1, 2, 3].map((n) => `D-${n},L-${n},10.00`)],
  });
  const lease = (n: number, unit: number, status: string, start: string, rent = "1000.00") =>
    `L-${n},U-${unit},T-${n},fixed,${status},${start},${addDays(FUTURE, 300)},${rent}`;
  const before = sheets(lease(1, 1, "pending", FUTURE), lease(2, 2, "pending", FUTURE), lease(3, 3, "draft", FUTURE));
  expect(await writeBundle(office, (await prepareBundle(office, before)).id)).toMatchObject({ status: "completed" });
  const { id } = await prepareBundle(office, sheets(lease(1, 1, "pending", later, "1100.00"), lease(2, 2, "cancelled", FUTURE), lease(3, 3, "draft", later)));
  const [first, second, third] = await statusesOf(office, id, "lease");
  expect([first, second]).toEqual([
    ["L-1", "invalid", "start_date not_allowed", "rent not_allowed"],
    ["L-2", "invalid", "status not_allowed"],
  ]);
  expect(third).toEqual(["L-3", "ready_update"]);
  expect((await writeBundle(office, id)).counts).toMatchObject({ ready_update: 1 });
});
