import { Migration } from "@mikro-orm/migrations";

/** Refunds of payments have the number of their check or another reference. */
export class NumbersOfRefunds extends Migration {
  override up(): void {
    this.addSql("alter table payment_refund add column reference_number text");
  }
}
