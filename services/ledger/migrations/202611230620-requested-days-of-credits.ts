import { Migration } from "@mikro-orm/migrations";

/** Adds the requested day of a credit that had to be dated later. For late fees the credit counts from the requested day. */
export class RequestedDaysOfCredits extends Migration {
  override up(): void {
    this.addSql(`alter table charge_credit add requested_on date, add constraint charge_credit_requested_before check (requested_on < credited_on)`);
  }
}
