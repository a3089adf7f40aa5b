import { Migration } from "@mikro-orm/migrations";

/** Adds the principal that started a bundle, and allows only one queued or processing bundle per namespace. */
export class ImportWriting extends Migration {
  override up(): void {
    this.addSql(`alter table import_bundle add column started_by jsonb`);
    this.addSql(
      `create unique index import_bundle_alone_in_namespace on import_bundle (organization_id, source_namespace) where status in ('queued', 'processing')`,
    );
  }
}
