import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { conflict } from "@freehold/kit/errors";
import { today } from "@freehold/kit/time/clock";
import { hasActiveOrPendingLease } from "../leases/leases.queries.ts";
import { hasUnfinishedInspection } from "../maintenance/inspections/inspections.queries.ts";
import { hasUnfinishedWorkOrder } from "../maintenance/work-orders/work-orders.queries.ts";
import { isOccupied } from "./units/units.queries.ts";

/** Throws 409 while a property or unit has an active or pending lease, an occupant, or an unfinished work order or inspection, or a unit is the stall of a parking right. */
export async function requireUnused(db: StatementRunner, table: "property" | "unit", id: string): Promise<void> {
  const inUse = (message: string) => conflict(message, "resource_in_use");
  if (await hasActiveOrPendingLease(db, table, id)) throw inUse(`The ${table} still has an active or pending lease. Terminate or cancel it first.`);
  if (await isOccupied(db, table, id)) throw inUse(`Somebody still lives in the ${table}. Release the occupants or record their move-out dates first.`);
  if (table === "unit" && (await isAssignedStall(db, id)))
    throw inUse("The unit is a stall of a parking right of a lease in force. Take it out of stallUnitIds, or end the lease first.");
  if (await hasUnfinishedWorkOrder(db, table, id)) throw inUse(`The ${table} still has an unfinished work order. Complete or cancel it first.`);
  if (await hasUnfinishedInspection(db, table, id)) throw inUse(`The ${table} still has an unfinished inspection. Complete or cancel it first.`);
}

/** Tells whether a parking right of an active or pending lease that has not ended names a unit as its stall. */
const isAssignedStall = async (db: StatementRunner, unitId: string): Promise<boolean> =>
  (await db.first(sql`select 1 as found from parking_right r join lease l on l.organization_id = r.organization_id and l.id = r.lease_id
    where r.organization_id = ${db.organizationId} and r.stall_unit_ids @> array[${unitId}]::uuid[] and r.deleted_at is null
      and (r.effective_end is null or r.effective_end >= ${today(db.principal.timezone)}) and l.deleted_at is null and l.status in ('active', 'pending')`)) !==
  undefined;
