import { Migration } from "@mikro-orm/migrations";

/** Index of the journal lines that name an owner. */
export class OwnerLines extends Migration {
  override up(): void {
    this.addSql(`create index journal_line_by_owner on journal_line (organization_id, owner_id, account_id) where owner_id is not null`);
  }
}
