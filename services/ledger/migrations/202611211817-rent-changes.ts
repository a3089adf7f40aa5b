import { Migration } from "@mikro-orm/migrations";

/**
 * One recurring charge rule per rent of a lease (the initial rent and each rent change). The lease projection stores the lease
 * version that was applied last.
 */
export class RentChanges extends Migration {
  override up(): void {
    this.addSql(`alter table recurring_charge_rule add column rent_change_id uuid`);
    this.addSql(`alter table lease_copy add column heard_version int`);
    this.addSql(`drop index recurring_charge_one_rent_a_lease`);
    this.addSql(
      `create unique index recurring_charge_one_rule_a_rent on recurring_charge_rule (organization_id, lease_id, rent_change_id) nulls not distinct where is_lease_rent`,
    );
  }
}
