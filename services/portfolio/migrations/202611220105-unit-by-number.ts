import { Migration } from "@mikro-orm/migrations";

/** Index for the list of units in order of unit number. */
export class UnitByNumber extends Migration {
  override up(): void {
    this.addSql(`create index unit_by_number on unit (organization_id, unit_number, id)`);
  }
}
