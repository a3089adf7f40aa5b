/** Rows of occupants and recurring charges that change in a later import: neither is posted, so both follow the file. */
import { describe, expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { listAllCandidates } from "../../test/bundles.ts";
import { prepareBundle, type Sheets, writeBundle } from "../../test/writing.ts";

const [START, LATER] = [addDays(today("America/New_York"), 40), addDays(today("America/New_York"), 400)];
const portfolio = {
  properties: ["source_id,name,street_line1,city,state,postal_code", "P-1,Maple Court,12 Maple Street,Albany,NY,12207"],
  units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1,1000.00"],
  tenants: ["source_id,full_name", "T-1,Ana Active", "T-3,Cleo Cotenant", "T-4,Gus Guarantor"],
} satisfies Sheets;
const HEADER = "source_id,unit_source_id,primary_tenant_source_id,term_type,status,start_date,move_in_date,rent,late_fee_type,late_fee_amount,co_tenants";
const leaseWith = (moveIn: string, lateFee = "flat,50.00") => [HEADER, `L-1,U-1,T-1,month_to_month,active,2026-01-01,${moveIn},1000.00,${lateFee},T-3`];

/** Imports sheets and returns the status and the errors of each candidate that is neither new nor unchanged. */
async function importChanges(office: Office, sheets: Sheets) {
  const bundle = await prepareBundle(office, { ...portfolio, ...sheets });
  const candidates = await listAllCandidates(office, bundle.id);
  expect((await writeBundle(office, bundle.id)).counts.blocked).toBe(0);
  const changed = candidates.filter(({ status }) => status !== "ready_create" && status !== "unchanged");
  return changed.map(({ entityType, status, changes, errors }) => [
    entityType,
    status,
    ...changes.map(({ field }) => field).toSorted(),
    ...errors.map(({ message }) => message),
  ]);
}

describe("a later import with another value", () => {
  test("of the move-in date of a lease is one update, which the co-tenants of the row follow", async () => {
    const office = await anOffice();
    await importChanges(office, { leases: leaseWith("") });
    expect(await importChanges(office, { leases: leaseWith("2026-01-05") })).toEqual([["lease", "ready_update", "move_in_date"]]);
    expect((await office.call("listLeases")).leases[0]!.occupants.map(({ moveInDate }) => moveInDate)).toEqual(["2026-01-05", "2026-01-05"]);
    expect(await importChanges(office, { leases: leaseWith("2026-01-05") })).toEqual([]);
  });

  test("of the late fee is an update, also to no late fee", async () => {
    const office = await anOffice();
    await importChanges(office, { leases: leaseWith("") });
    expect(await importChanges(office, { leases: leaseWith("", "none,") })).toEqual([["lease", "ready_update", "late_fee_type"]]);
    expect((await office.call("listLeases")).leases).toMatchObject([{ lateFeeType: "none" }]);
  });

  test("of an occupant changes the occupant", async () => {
    const office = await anOffice();
    const occupants = (row: string) => ({ leases: leaseWith(""), occupants: ["lease_source_id,tenant_source_id,role,move_in_date", `L-1,T-4,${row}`] });
    await importChanges(office, occupants("occupant,2026-02-01"));
    expect(await importChanges(office, occupants("guarantor,2026-02-03"))).toEqual([["occupant", "ready_update", "move_in_date", "role"]]);
    expect((await office.call("listLeases")).leases[0]!.occupants.at(-1)).toMatchObject({
      tenantName: "Gus Guarantor",
      role: "guarantor",
      moveInDate: "2026-02-03",
    });
  });

  test("of a recurring charge changes it; another kind or first day is an error that names it", async () => {
    const office = await anOffice();
    const charges = (row: string) => ({
      leases: leaseWith(""),
      recurring_charges: ["source_id,lease_source_id,label,amount,day_of_month,end_date,category_code,start_date,kind", `R-1,L-1,${row}`],
    });
    await importChanges(office, charges(`Parking,75.00,1,,4010,${START},fee`));
    const readFees = async () => (await office.call("listRecurringCharges", { query: { kind: "fee" } })).recurringChargeRules;
    const [before] = await readFees();
    const changed = `Parking 4,80.00,5,${LATER},4090,${START}`;
    expect(await importChanges(office, charges(`${changed},fee`))).toEqual([
      ["recurring_charge", "ready_update", "amount", "category_code", "day_of_month", "end_date", "label"],
    ]);
    const [after, ...others] = await readFees();
    expect([after, others]).toMatchObject([{ id: before!.id, label: "Parking 4", amountCents: 8_000, dayOfMonth: 5, endDate: LATER }, []]);
    expect(after!.categoryId).not.toBe(before!.categoryId);
    expect(await importChanges(office, charges(`${changed},fee`))).toEqual([]);
    expect(await importChanges(office, charges(`${changed},rent`))).toEqual([
      [
        "recurring_charge",
        "invalid",
        "kind",
        `This row was imported before: kind was fee and is rent. An import does not change kind. To correct it, end the recurring charge ${after!.id}, then resolve this row with the action create; or restore kind in the file, or exclude the row.`,
      ],
    ]);
  });
});

test("a name that is the word Null is a name, and null is an empty cell", async () => {
  const office = await anOffice();
  const bundle = await prepareBundle(office, { vendors: ["source_id,name,trade,notes", "V-1,Null,Null,null", "V-2,null,Roofing,"] });
  expect((await listAllCandidates(office, bundle.id)).map(({ status, data }) => [status, data])).toEqual([
    ["ready_create", { source_id: "V-1", name: "Null" }],
    ["missing_source_data", { source_id: "V-2", trade: "Roofing" }],
  ]);
});

test("a deposit charge with an account of its own is an error of the row before anything is written", async () => {
  const office = await anOffice();
  const charge = (id: string, code: string) => `${id},L-1,2026-01-01,deposit,900.00,${code}`;
  const bundle = await prepareBundle(office, {
    ...portfolio,
    leases: leaseWith(""),
    charges: ["source_id,lease_source_id,date,type,amount,category_code", charge("C-1", "4000"), charge("C-2", ""), charge("C-3", "2110")],
  });
  expect((await listAllCandidates(office, bundle.id, { entityType: "charge" })).map(({ status, errors }) => [status, errors])).toEqual([
    ["invalid", [{ path: "category_code", code: "not_allowed", message: "A deposit is always credited to 2110. Clear category_code." }]],
    ["ready_create", []],
    ["ready_create", []],
  ]);
});
