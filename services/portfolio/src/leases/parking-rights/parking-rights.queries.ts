import type { QueryOf } from "@freehold/contract/operation";
import type { ParkingRight, parkingRights } from "@freehold/contract/leases/parking-rights";
import { today } from "@freehold/kit/time/clock";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import { sql } from "@freehold/kit/db/statement";
import { stepAmountOn } from "../billing-schedules/billing-schedules.queries.ts";

/**
 * Parking right without `linkedCharge`, which the view builds from the label and current amount of the billing schedule in
 * this row, or from the recurring charge rule, which the ledger stores.
 */
export type ParkingRightRow = Omit<ParkingRight, "linkedCharge"> & { scheduleLabel: string | null; scheduleAmountCents: number | null; version: number };

const columns = (
  db: StatementRunner,
) => sql`r.id, r.organization_id, r.lease_id, r.parking_type, r.effective_start, r.effective_end, r.rate_basis, r.rate_frequency,
  r.rate_per_space_cents, r.ratio_per1000_sqft, r.space_count, r.location, r.notes, r.stall_labels, to_json(r.stall_unit_ids) as stall_unit_ids,
  (select coalesce(json_agg(coalesce(u.unit_number, '') order by stall.ordinal), '[]'::json)
    from unnest(r.stall_unit_ids) with ordinality as stall (id, ordinal)
    join unit u on u.organization_id = r.organization_id and u.id = stall.id) as stall_unit_numbers,
  r.billing_schedule_id, r.recurring_charge_rule_id, b.label as schedule_label,
  ${stepAmountOn(today(db.principal.timezone))} as schedule_amount_cents,
  r.created_at, r.updated_at, r.deleted_at, r.version`;
const rightWithSchedule = sql`parking_right r left join billing_schedule b on b.organization_id = r.organization_id and b.id = r.billing_schedule_id`;

/** Returns a parking right. Throws 404 when it does not exist, its lease was deleted or, without `includeDeleted`, the right itself was deleted. */
export async function getParkingRightRow(db: StatementRunner, id: string, { includeDeleted = false } = {}): Promise<ParkingRightRow> {
  const row = await db.first(sql<ParkingRightRow>`select ${columns(db)} from ${rightWithSchedule}
    join lease l on l.organization_id = r.organization_id and l.id = r.lease_id and l.deleted_at is null
    where r.organization_id = ${db.organizationId} and r.id = ${id} and (${includeDeleted} or r.deleted_at is null)`);
  if (!row) throw notFound("Parking right");
  return row;
}

/** Maximum number of the parking rights in the response of a lease. */
const MAX_RIGHTS = 100;

/** Returns the parking rights of a lease by start date, at most `MAX_RIGHTS`. */
export const findParkingRightRows = (db: StatementRunner, leaseId: string): Promise<ParkingRightRow[]> =>
  db.all(sql<ParkingRightRow>`select ${columns(db)} from ${rightWithSchedule} where r.organization_id = ${db.organizationId} and r.lease_id = ${leaseId}
    and r.deleted_at is null order by r.effective_start, r.id limit ${MAX_RIGHTS}`);

/** Locks the units with these ids that are not deleted and returns their property and type. */
export const lockStallUnits = (db: StatementRunner, ids: readonly string[]): Promise<{ id: string; propertyId: string; unitType: string }[]> =>
  db.all(sql<{ id: string; propertyId: string; unitType: string }>`select id, property_id, unit_type from unit
    where organization_id = ${db.organizationId} and id = any(${[...ids]}::uuid[]) and deleted_at is null order by id for share`);

/** Tells whether a parking right of the lease lists stall units. */
export async function hasStalls(db: StatementRunner, leaseId: string): Promise<boolean> {
  const row = await db.first(sql`select 1 as found from parking_right
    where organization_id = ${db.organizationId} and lease_id = ${leaseId} and cardinality(stall_unit_ids) > 0 and deleted_at is null limit 1`);
  return row !== undefined;
}

/** Returns a page of the parking rights of a lease. */
export const listParkingRightRows = (
  db: OrgDb,
  leaseId: string,
  query: QueryOf<(typeof parkingRights)["operations"]["listParkingRights"]>,
): Promise<Page<ParkingRightRow>> =>
  listPage<ParkingRightRow>(db, query, {
    select: columns(db),
    from: rightWithSchedule,
    table: "r",
    where: [...listConditions(db, "r", query), sql`r.lease_id = ${leaseId}`],
    sorts: { effectiveStart: sql`r.effective_start`, createdAt: sql`r.created_at` },
  });
