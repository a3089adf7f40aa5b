import { Migration } from "@mikro-orm/migrations";

/** Index for counts of leases by status. */
export class LeaseStatusIndex extends Migration {
  override up(): void {
    this.addSql(`create index lease_by_status on lease (organization_id, status) where deleted_at is null`);
  }
}
