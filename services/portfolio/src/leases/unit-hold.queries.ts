/** Who holds a unit, asked while its row is locked: what ends a lease and what starts one wait for each other. */
import type { Runner } from "@freehold/kit/db";
import { conflict, unknownReference } from "@freehold/kit/errors";
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

/** Locks the unit that a body names, or refuses the body. Several who only held it shared could not lock it afterwards. */
export async function holdNamedUnit(tx: Runner, unitId: string): Promise<void> {
  if (!(await holdUnit(tx, unitId))) throw unknownReference("unitId", "unit");
}

/** Whether a lease that was terminated for a later day still holds the unit when this one starts. */
export async function isHeldByTerminated(tx: Runner, { id, unitId, startDate }: Holding): Promise<boolean> {
  const held = await tx.first(sql`select 1 as one from lease where organization_id = ${tx.organizationId} and unit_id = ${unitId} and id <> ${id}
    and status = 'terminated' and deleted_at is null and start_date < ${startDate}::date and termination_date >= ${startDate}::date limit 1`);
  return held !== undefined;
}

/** Whether another lease takes the unit over before this one would end; without a last day, ever. */
export async function isTaken(tx: Runner, { id, unitId, startDate }: Holding, lastDay: string | null = null): Promise<boolean> {
  const taken = await tx.first(sql`select 1 as one from lease where organization_id = ${tx.organizationId} and unit_id = ${unitId} and id <> ${id}
    and status in ('active', 'pending') and deleted_at is null and start_date > ${startDate}::date and (${lastDay}::date is null or start_date <= ${lastDay}::date) limit 1`);
  return taken !== undefined;
}
