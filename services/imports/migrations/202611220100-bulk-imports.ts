import { Migration } from "@mikro-orm/migrations";

/**
 * Adds the settings of bulk imports to bundles and the original cells to candidates, and indexes identities by source id
 * across namespaces.
 */
export class BulkImports extends Migration {
  override up(): void {
    this.addSql(`alter table import_bundle add column entity_type text, add column mode text, add column dry_run boolean,
      add constraint import_bundle_is_bulk_as_a_whole check ((mode is null) = (entity_type is null) and (mode is null) = (dry_run is null))`);
    this.addSql(`alter table import_candidate add column cells jsonb`);
    this.addSql(`create index import_identity_by_source on import_identity (organization_id, entity_type, source_id)`);
  }
}
