import { Migration } from "@mikro-orm/migrations";

/** Statement that sets the subject of the charges, payments and expenses whose candidates are known. */
const setSubjects = `update import_identity i set subject_id = coalesce((c.link ->> 'entityId')::uuid, target.result_entity_id, target.chosen_entity_id)
  from (select organization_id, bundle_id, entity_type, source_id,
      case entity_type when 'expense' then coalesce(links -> 'unit', links -> 'property') else links -> 'lease' end as link
    from import_candidate where entity_type in ('charge', 'payment', 'expense') and merged_into_id is null) c
  left join import_candidate target on target.organization_id = c.organization_id and target.id = (c.link ->> 'candidateId')::uuid
  where i.organization_id = c.organization_id and i.bundle_id = c.bundle_id and i.entity_type = c.entity_type and i.source_id = c.source_id`;

/**
 * Adds the record on which a charge, a payment or an expense is posted to its identity: the lease, the unit or the property. A later import finds the
 * record by it, whatever the id and the names in the row are then.
 */
export class RecordsOfEqualRows extends Migration {
  override up(): void {
    this.addSql("alter table import_identity add column subject_id uuid");
    for (const table of ["import_identity", "import_candidate"]) this.addSql(`alter table ${table} no force row level security`);
    this.addSql(setSubjects);
    for (const table of ["import_identity", "import_candidate"]) this.addSql(`alter table ${table} force row level security`);
    this.addSql("create index import_identity_by_subject on import_identity (organization_id, subject_id, entity_type) where subject_id is not null");
    this.addSql(`create index import_candidate_of_posted_record on import_candidate (organization_id, bundle_id, chosen_entity_id)
      where chosen_entity_id is not null and entity_type in ('charge', 'payment', 'expense')`);
  }
}
