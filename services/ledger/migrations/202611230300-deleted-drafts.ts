import { Migration } from "@mikro-orm/migrations";

/** Adds the time at which a draft was deleted. A posted entry is never deleted. */
export class DeletedDrafts extends Migration {
  override up(): void {
    this.addSql(`alter table journal_entry add deleted_at timestamptz(3),
      add constraint journal_entry_deleted_as_draft check (deleted_at is null or status = 'draft')`);
  }
}
