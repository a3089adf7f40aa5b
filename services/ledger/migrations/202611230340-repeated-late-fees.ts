import { Migration } from "@mikro-orm/migrations";

/** A late fee that the review voided as unjustified is superseded, so that its day can be charged again. */
export class RepeatedLateFees extends Migration {
  override up(): void {
    this.addSql(`drop index charge_late_fee_once;
      create unique index charge_late_fee_once on charge (organization_id, late_fee_for_charge_id, late_fee_kind, late_fee_day_index)
        where late_fee_for_charge_id is not null and not is_superseded`);
  }
}
