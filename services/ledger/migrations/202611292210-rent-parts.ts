import { Migration } from "@mikro-orm/migrations";

/** Recurring charges that are parts of the rent of a lease without a rent of its own are prorated, and end with the lease. */
export class RentParts extends Migration {
  override up(): void {
    this.addSql("alter table recurring_charge_rule add column is_rent_part boolean not null default false, add column lease_end date");
  }
}
