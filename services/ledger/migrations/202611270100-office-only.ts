import { officeOnlySql } from "@freehold/kit/db/portal-reach";
import { Migration } from "@mikro-orm/migrations";

/** Limits every table to the office: no operation of a portal reads or writes this service. */
export class OfficeOnly extends Migration {
  override up(): void {
    this.addSql(officeOnlySql);
  }
}
