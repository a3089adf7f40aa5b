import { Migration } from "@mikro-orm/migrations";

/** Statement that sets the lease of the occupants whose candidates are known. */
const setLeases = `update import_identity i set lease_id = coalesce((c.links -> 'lease' ->> 'entityId')::uuid, lease.result_entity_id, lease.chosen_entity_id)
  from import_candidate c left join import_candidate lease on lease.organization_id = c.organization_id and lease.id = (c.links -> 'lease' ->> 'candidateId')::uuid
  where i.organization_id = c.organization_id and i.bundle_id = c.bundle_id and i.entity_type = c.entity_type and i.source_id = c.source_id
    and c.entity_type = 'occupant' and c.merged_into_id is null`;

/** Adds the lease of occupants to their identities, so that a later import tells the occupants of consecutive leases of a unit apart. */
export class IdentitiesOfOccupants extends Migration {
  override up(): void {
    for (const table of ["import_identity", "import_candidate"]) this.addSql(`alter table ${table} no force row level security`);
    this.addSql(setLeases);
    for (const table of ["import_identity", "import_candidate"]) this.addSql(`alter table ${table} force row level security`);
  }
}
