import { Migration } from "@mikro-orm/migrations";

/** Entries of payouts to owners are found without reading the others. */
export class EntriesOfPayouts extends Migration {
  override up(): void {
    this.addSql(`set local statement_timeout = 0`);
    this.addSql(`create index journal_entry_of_payouts on journal_entry (organization_id, id) where source_type = 'owner_payable'`);
  }
}
