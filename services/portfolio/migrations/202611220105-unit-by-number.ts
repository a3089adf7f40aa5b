import { Migration } from "@mikro-orm/migrations";

/** Adds the index for lists of units sorted by unit number. */
export class UnitByNumber extends Migration {
  override up(): void {
    this.addSql(`create index unit_by_number on unit (organization_id, unit_number, id)`);
  }
}
