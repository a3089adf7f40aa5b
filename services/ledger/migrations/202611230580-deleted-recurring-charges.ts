import { Migration } from "@mikro-orm/migrations";

/** Adds the time at which a draft of a recurring charge was deleted. A rule that was active is never deleted. */
export class DeletedRecurringCharges extends Migration {
  override up(): void {
    this.addSql(`alter table recurring_charge_rule add deleted_at timestamptz(3),
      add constraint recurring_charge_deleted_as_draft check (deleted_at is null or status = 'draft')`);
  }
}
