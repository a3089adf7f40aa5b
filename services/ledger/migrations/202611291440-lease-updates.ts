import { Migration } from "@mikro-orm/migrations";

/** Pages of the projection of leases keep room for the mark of the start of billing, which follows the insertion. */
export class LeaseUpdates extends Migration {
  override up(): void {
    this.addSql("alter table lease_copy set (fillfactor = 70)");
  }
}
