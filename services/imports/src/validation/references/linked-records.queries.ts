/** Records to which the references of a candidate lead. */
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

/** Record to which a reference of the candidate `c` leads; null until it exists. */
export const linkedRecord = (
  reference: string,
): RawBuilder<unknown> => sql`coalesce((c.links -> ${reference} ->> 'entityId')::uuid, (select coalesce(target.result_entity_id, target.chosen_entity_id)
  from import_candidate target where target.organization_id = c.organization_id and target.id = (c.links -> ${reference} ->> 'candidateId')::uuid))`;

/** Record on which the charge, the payment or the expense of the candidate `c` is posted: its lease, or its unit or property. */
export const subjectRecord = sql`case c.entity_type when 'expense' then coalesce(${linkedRecord("unit")}, ${linkedRecord("property")}) else ${linkedRecord("lease")} end`;
