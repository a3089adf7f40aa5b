import { Migration } from "@mikro-orm/migrations";

/** Marks the identities of deleted records, which are kept, because the key of the next creation needs them. */
export class IdentitiesOfDeletedRecords extends Migration {
  override up(): void {
    this.addSql("alter table import_identity add column is_deleted boolean not null default false");
  }
}
