import { Migration } from "@mikro-orm/migrations";

/** Finds the lines of a property on one account, such as its money in a bank account, without reading its other lines. */
export class LinesOfProperties extends Migration {
  override up(): void {
    this.addSql("drop index journal_line_by_property");
    this.addSql(
      "create index journal_line_by_property on journal_line (organization_id, property_id, account_id, entry_date) include (entry_id) where property_id is not null",
    );
  }
}
