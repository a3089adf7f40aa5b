import { Migration } from "@mikro-orm/migrations";

/** Superseded charges are found by their recurring charge. The index of the other charges by recurring charge contains none of them. */
export class SupersededCharges extends Migration {
  override up(): void {
    this.addSql(`set local statement_timeout = 0`);
    this.addSql(`create index charge_superseded_by_rule on charge (organization_id, recurring_charge_rule_id) where is_superseded`);
  }
}
