import { Migration } from "@mikro-orm/migrations";

/** The list of units is read in the order of their numbers, page by page from the index. */
export class UnitByNumber extends Migration {
  override up(): void {
    this.addSql(`create index unit_by_number on unit (organization_id, unit_number, id)`);
  }
}
