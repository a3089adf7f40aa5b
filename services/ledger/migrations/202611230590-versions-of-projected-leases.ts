import { Migration } from "@mikro-orm/migrations";

/** Adds portfolio's version of a projected lease, so that an earlier state that arrives late does not replace a later one. */
export class VersionsOfProjectedLeases extends Migration {
  override up(): void {
    this.addSql(`alter table lease_copy add source_version int`);
  }
}
