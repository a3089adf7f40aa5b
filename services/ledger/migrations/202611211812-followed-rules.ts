import { Migration } from "@mikro-orm/migrations";

/** Stores the original end date of recurring charges that end for a successor lease, in case the successor is cancelled. */
export class RecurringChargeSuccessors extends Migration {
  override up(): void {
    this.addSql(`alter table recurring_charge_rule add column followed_by_lease_id uuid, add column own_end_date date`);
    this.addSql(
      `create index recurring_charge_by_follower on recurring_charge_rule (organization_id, followed_by_lease_id) where followed_by_lease_id is not null`,
    );
  }
}
