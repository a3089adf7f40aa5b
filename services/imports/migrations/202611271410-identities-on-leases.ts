import { Migration } from "@mikro-orm/migrations";

/** Statement that sets the lease of the deposits and opening balances whose candidates are known. */
const setLeases = `update import_identity i set lease_id = coalesce((c.links -> 'lease' ->> 'entityId')::uuid, lease.result_entity_id, lease.chosen_entity_id)
  from import_candidate c left join import_candidate lease on lease.organization_id = c.organization_id and lease.id = (c.links -> 'lease' ->> 'candidateId')::uuid
  where i.organization_id = c.organization_id and i.bundle_id = c.bundle_id and i.entity_type = c.entity_type and i.source_id = c.source_id
    and c.entity_type in ('deposit', 'opening_balance') and c.merged_into_id is null`;

/** Adds the lease of deposits and opening balances to their identities, so that a later import knows what was posted on a lease whatever its rows are called. */
export class IdentitiesOnLeases extends Migration {
  override up(): void {
    this.addSql("alter table import_identity add column lease_id uuid");
    for (const table of ["import_identity", "import_candidate"]) this.addSql(`alter table ${table} no force row level security`);
    this.addSql(setLeases);
    for (const table of ["import_identity", "import_candidate"]) this.addSql(`alter table ${table} force row level security`);
    this.addSql("create index import_identity_by_lease on import_identity (organization_id, lease_id, entity_type) where lease_id is not null");
  }
}
