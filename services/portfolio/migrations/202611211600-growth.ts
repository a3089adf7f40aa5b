import { Migration } from "@mikro-orm/migrations";

/** Counts the leases of an organization, all or by status, without reading them. */
export class Growth extends Migration {
  override up(): void {
    this.addSql(`create index lease_by_status on lease (organization_id, status) where deleted_at is null`);
  }
}
