import { Migration } from "@mikro-orm/migrations";

/** Who started a bundle, in whose name it is written; and one bundle at a time under a namespace. */
export class ImportWriting extends Migration {
  override up(): void {
    this.addSql(`alter table import_bundle add column started_by jsonb`);
    this.addSql(
      `create unique index import_bundle_alone_in_namespace on import_bundle (organization_id, source_namespace) where status in ('queued', 'processing')`,
    );
  }
}
