/** Who holds a unit, asked while its row is locked: what ends a lease and what starts one wait for each other. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { conflict, unknownReference } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/db/statement";

export const overlap = () => conflict("Another lease holds the unit on some of these days. End that lease first, or choose other dates.", "lease_overlap");

interface Holding {
  id: string;
  unitId: string;
  startDate: string;
}

/** Locks live units, in the order of their ids, and answers which there are and of which property. */
async function holdUnits(tx: StatementRunner, ids: readonly string[]): Promise<Map<string, string>> {
  const units = await tx.all(sql<{ id: string; propertyId: string }>`select id, property_id from unit
    where organization_id = ${tx.organizationId} and id = any(${[...ids]}::uuid[]) and deleted_at is null order by id for no key update`);
  return new Map(units.map(({ id, propertyId }) => [id, propertyId]));
}

/** Locks a live unit; false when it is gone. */
export const holdUnit = async (tx: StatementRunner, unitId: string): Promise<boolean> => (await holdUnits(tx, [unitId])).size === 1;

/** Locks the units that bodies name, or refuses them; answers the property of each. Several who only held one shared could not lock it afterwards. */
export async function holdNamedUnits(tx: StatementRunner, unitIds: readonly string[]): Promise<Map<string, string>> {
  const live = await holdUnits(tx, unitIds);
  if (unitIds.some((id) => !live.has(id.toLowerCase()))) throw unknownReference("unitId", "unit");
  return live;
}

/** Refuses leases that are to hold a unit which one that was terminated for a later day still holds when they start. */
export async function refuseHeldByTerminated(tx: StatementRunner, leases: readonly Holding[]): Promise<void> {
  const given = JSON.stringify(leases.map(({ id, unitId, startDate }) => ({ id, unit_id: unitId, start_date: startDate })));
  const held = await tx.first(sql`select 1 as one from jsonb_to_recordset(${given}::jsonb) as given (id uuid, unit_id uuid, start_date date)
    cross join lateral (select from lease where organization_id = ${tx.organizationId} and unit_id = given.unit_id and id <> given.id and status = 'terminated'
      and deleted_at is null and start_date < given.start_date and termination_date >= given.start_date limit 1) held limit 1`);
  if (held) throw overlap();
}

/** Whether another lease takes the unit over before this one would end; without a last day, ever. */
export async function isTaken(tx: StatementRunner, { id, unitId, startDate }: Holding, lastDay: string | null = null): Promise<boolean> {
  const taken = await tx.first(sql`select 1 as one from lease where organization_id = ${tx.organizationId} and unit_id = ${unitId} and id <> ${id}
    and status in ('active', 'pending') and deleted_at is null and start_date > ${startDate}::date and (${lastDay}::date is null or start_date <= ${lastDay}::date) limit 1`);
  return taken !== undefined;
}
