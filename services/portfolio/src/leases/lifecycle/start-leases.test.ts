/** Start of pending leases by the daily job. */
import { afterAll, expect, test } from "@jest/globals";
import { eventually } from "../../../../../test/support/eventually.ts";
import { anOffice } from "../../../../../test/support/office.ts";
import { findOutboxEvents, makeJobsDue, makeJobsDueAtOnce, queryRows } from "../../../test/database.ts";
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

test("leases that start on one day become active, renewals take over, and one that cannot start stays pending alone", async () => {
  const ownOffice = await anOffice();
  const read = async (id: string) => (await ownOffice.call("getLease", { params: { id } })).lease;
  const pending = async () => aLease(ownOffice, await createLeaseReferences(ownOffice), { startDate: inDays(1), createRecurringRent: false });
  const leases = [await pending(), await pending(), await pending()];
  const predecessor = await aLease(ownOffice, await createLeaseReferences(ownOffice), { endDate: currentDate(), createRecurringRent: false });
  const terms = { startDate: inDays(1), endDate: inDays(365) };
  const { lease: renewal } = await ownOffice.call("renewLease", { params: { id: predecessor.id }, body: terms });
  await ownOffice.call("activateLease", { params: { id: renewal.id }, body: {} });
  const unstartable = leases.pop()!;
  const { organizationId } = ownOffice;
  await queryRows(organizationId, "update lease_occupant set removed_at = now() where organization_id = $1 and lease_id = $2", [
    organizationId,
    unstartable.id,
  ]);
  // Moves the leases one day into the past.
  await queryRows(organizationId, "update lease set end_date = end_date - 1 where id = $1", [predecessor.id]);
  const moved = [...leases, renewal, unstartable, predecessor].map(({ id }) => id);
  await queryRows(organizationId, "update lease set start_date = start_date - 1, superseded_from = superseded_from - 1 where id = any($1)", [moved]);
  await makeJobsDue(ownOffice);
  await eventually("the leases are active", async () =>
    (await Promise.all([...leases, renewal].map(({ id }) => read(id)))).every(({ status }) => status === "active"),
  );
  expect([(await read(predecessor.id)).status, (await read(unstartable.id)).status]).toEqual(["renewed", "pending"]);
  for (const { id, tenantId } of [...leases, renewal]) {
    const events = (await findOutboxEvents(ownOffice, id)).filter(({ type }) => type === "lease.activated");
    expect(events.map(({ data, audience }) => [data["status"], audience.tenantIds])).toEqual([
      ["pending", [tenantId]],
      ["active", [tenantId]],
    ]);
    expect(events.at(-1)!.changes).toMatchObject({ before: { status: "pending" }, after: { status: "active" } });
  }
  expect((await findOutboxEvents(ownOffice, predecessor.id)).map(({ type }) => type)).toContain("lease.renewed");
  await queryRows(organizationId, "update lease set status = 'cancelled' where organization_id = $1 and id = $2", [organizationId, unstartable.id]);
});

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
