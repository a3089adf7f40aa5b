import { Migration } from "@mikro-orm/migrations";

/** Index of the leases that a tenant is on, by which a payment without a lease finds the charges it can settle. */
export class LeasesByPayer extends Migration {
  override up(): void {
    this.addSql(`create index lease_copy_by_payer on lease_copy using gin (organization_id, payer_ids)`);
  }
}
