import type { StatementRunner } from "@freehold/kit/db/org-db";
import { conflict } from "@freehold/kit/errors";
import { hasActiveOrPendingLease } from "../leases/leases.queries.ts";
import { hasUnfinishedInspection } from "../maintenance/inspections/inspections.queries.ts";
import { hasUnfinishedWorkOrder } from "../maintenance/work-orders/work-orders.queries.ts";
import { isOccupied } from "./units/units.queries.ts";

/** Throws 409 while a property or unit has an active or pending lease, an occupant, or an unfinished work order or inspection. */
export async function requireUnused(db: StatementRunner, table: "property" | "unit", id: string): Promise<void> {
  const inUse = (message: string) => conflict(message, "resource_in_use");
  if (await hasActiveOrPendingLease(db, table, id)) throw inUse(`The ${table} still has an active or pending lease. Terminate or cancel it first.`);
  if (await isOccupied(db, table, id)) throw inUse(`Somebody still lives in the ${table}. Release the occupants or record their move-out dates first.`);
  if (await hasUnfinishedWorkOrder(db, table, id)) throw inUse(`The ${table} still has an unfinished work order. Complete or cancel it first.`);
  if (await hasUnfinishedInspection(db, table, id)) throw inUse(`The ${table} still has an unfinished inspection. Complete or cancel it first.`);
}
