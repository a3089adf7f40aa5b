/** Start of pending leases by the daily job. */
import { afterAll, expect, test } from "@jest/globals";
import { eventually } from "../../../../../test/support/eventually.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { makeJobsDueAtOnce, queryRows } from "../../../test/database.ts";
import { aLease, createLeaseReferences, currentDate, inDays } from "../../../test/fixtures.ts";
import { findLogLines } from "../../../../../test/support/running.ts";

const office = await anOffice();
/** More than the leases that are read at once, twice. */
const COUNT = 1_100;

// The job would be repeated for the rest of the run.
afterAll(() =>
  queryRows(office.organizationId, "update lease set status = 'cancelled' where organization_id = $1 and status = 'pending'", [office.organizationId]),
);

/** Inserts pending leases without occupants, which cannot start, each in a unit of its own, like a given lease and from a day on. */
async function insertUnstartableLeases(leaseId: string, startDate: string): Promise<void> {
  const values = [office.organizationId, leaseId, COUNT];
  await queryRows(
    office.organizationId,
    `insert into unit (organization_id, id, created_at, updated_at, version, property_id, unit_number, unit_type, monthly_rent_cents, status, amenities)
      select u.organization_id, gen_random_uuid(), u.created_at, u.updated_at, u.version, u.property_id, 'N' || n, u.unit_type, u.monthly_rent_cents, u.status, u.amenities
      from unit u join lease l on l.organization_id = u.organization_id and l.unit_id = u.id cross join generate_series(1, $3::int) n
      where l.organization_id = $1 and l.id = $2`,
    values,
  );
  await queryRows(
    office.organizationId,
    `insert into lease select (jsonb_populate_record(l, jsonb_build_object('id', gen_random_uuid(), 'unit_id', u.id, 'start_date', $3::date))).*
      from lease l join unit u on u.organization_id = l.organization_id and u.property_id = l.property_id and u.unit_number like 'N%'
      where l.organization_id = $1 and l.id = $2`,
    [office.organizationId, leaseId, startDate],
  );
}

test("more than a thousand leases are due on one day: those that cannot start are reported, and hold up none", async () => {
  const lease = await aLease(office, await createLeaseReferences(office), { startDate: inDays(1), createRecurringRent: false });
  expect(lease.status).toBe("pending");
  await insertUnstartableLeases(lease.id, inDays(-1));
  await queryRows(office.organizationId, "update lease set start_date = $3 where organization_id = $1 and id = $2", [
    office.organizationId,
    lease.id,
    currentDate(),
  ]);
  await makeJobsDueAtOnce(office);
  const read = async () => (await office.call("getLease", { params: { id: lease.id } })).lease.status;
  await eventually("the lease after all others is active", async () => (await read()) === "active");
  const reports = () => findLogLines("portfolio", `${COUNT} of the records could not be processed: Lease `).map((line) => JSON.stringify(line));
  await eventually("the others are reported", () => reports().some((line) => line.includes(office.organizationId)));
}, 400_000);
