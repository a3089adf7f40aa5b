/** Who holds a unit, asked while its row is locked: what ends a lease and what starts one wait for each other. */
import type { Runner } from "@freehold/kit/db";
import { conflict } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/statement";

export const overlap = () => conflict("Another lease holds the unit on some of these days. End that lease first, or choose other dates.", "lease_overlap");

interface Holding {
  id: string;
  unitId: string;
  startDate: string;
}

/** Locks a live unit; false when it is gone. */
export async function holdUnit(tx: Runner, unitId: string): Promise<boolean> {
  const unit = await tx.first(
    sql`select id from unit where organization_id = ${tx.organizationId} and id = ${unitId} and deleted_at is null for no key update`,
  );
  return unit !== undefined;
}

/** Whether a lease that was terminated for a later day still holds the unit when this one starts. */
export async function isHeldByTerminated(tx: Runner, { id, unitId, startDate }: Holding): Promise<boolean> {
  const held = await tx.first(sql`select 1 as one from lease where organization_id = ${tx.organizationId} and unit_id = ${unitId} and id <> ${id}
    and status = 'terminated' and deleted_at is null and start_date < ${startDate}::date and termination_date >= ${startDate}::date limit 1`);
  return held !== undefined;
}

/** Whether another lease takes the unit over before this one would end. */
export async function isTakenBefore(tx: Runner, { id, unitId, startDate }: Holding, lastDay: string): Promise<boolean> {
  const taken = await tx.first(sql`select 1 as one from lease where organization_id = ${tx.organizationId} and unit_id = ${unitId} and id <> ${id}
    and status in ('active', 'pending') and deleted_at is null and start_date > ${startDate}::date and start_date <= ${lastDay}::date limit 1`);
  return taken !== undefined;
}
