import { Migration } from "@mikro-orm/migrations";

/** Stores with each candidate the record that its source row had when it was evaluated. Candidates of before get the present one. */
export class FormerRecords extends Migration {
  override up(): void {
    const tables = ["import_bundle", "import_identity", "import_candidate"];
    this.addSql("set local statement_timeout = 0");
    this.addSql("alter table import_candidate add column former_entity_id uuid");
    for (const table of tables) this.addSql(`alter table ${table} no force row level security`);
    this.addSql(`update import_candidate c set former_entity_id = former.entity_id from import_bundle b join import_identity former on former.organization_id = b.organization_id
        and former.namespace = case when b.mode is null then b.source_namespace else '~bulk' end
      where c.organization_id = b.organization_id and c.bundle_id = b.id and b.status in ('validating', 'ready', 'queued', 'processing')
        and former.entity_type = c.entity_type and former.source_id = c.source_id and c.result_entity_id is null`);
    for (const table of tables) this.addSql(`alter table ${table} force row level security`);
  }
}
