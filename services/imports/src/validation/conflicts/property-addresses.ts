import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { FieldValues } from "../draft.ts";
import { haveDifferentAddresses, sameNameError } from "./property-addresses.rules.ts";

/** Adds an error to the properties without source ids that have one name and different addresses, since they would be one property. */
export async function flagSameNames(tx: OrgTx, bundleId: string): Promise<void> {
  const rows = await tx.all(sql<{
    id: string;
    rowNumber: number;
    nameKey: string;
    data: FieldValues;
  }>`select c.id, c.row_number, c.name_key, c.data from import_candidate c
    where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.entity_type = 'property' and c.is_derived and c.name_key is not null
      and c.data ->> 'street_line1' is not null and not c.link_errors @> '[{"code": "unique"}]'
      and exists (select from import_candidate o where o.organization_id = c.organization_id and o.bundle_id = c.bundle_id and o.entity_type = c.entity_type
        and o.name_key = c.name_key and o.is_derived and o.data ->> 'street_line1' <> c.data ->> 'street_line1')
    order by c.position`);
  const errors = [...Map.groupBy(rows, ({ nameKey }) => nameKey).values()].flatMap((namesakes) => {
    const isDivided = namesakes.some(({ data }) => haveDifferentAddresses(data, namesakes[0]!.data));
    const rowNumbers = namesakes.map(({ rowNumber }) => rowNumber);
    return isDivided ? namesakes.map(({ id, data }) => ({ id, errors: [sameNameError(data, rowNumbers)] })) : [];
  });
  await tx.all(sql`update import_candidate c set link_errors = c.link_errors || found.errors
    from jsonb_to_recordset(${JSON.stringify(errors)}::jsonb) as found (id uuid, errors jsonb)
    where c.organization_id = ${tx.organizationId} and c.id = found.id`);
}
