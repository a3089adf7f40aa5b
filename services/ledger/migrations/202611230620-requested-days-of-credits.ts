import { Migration } from "@mikro-orm/migrations";

/** A credit that had to be dated later than it was requested for keeps the requested day, from which it counts for late fees. */
export class RequestedDaysOfCredits extends Migration {
  override up(): void {
    this.addSql(`alter table charge_credit add requested_on date, add constraint charge_credit_requested_before check (requested_on < credited_on)`);
  }
}
