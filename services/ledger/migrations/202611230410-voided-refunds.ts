import { Migration } from "@mikro-orm/migrations";

/** Refunds can be voided. */
export class VoidedRefunds extends Migration {
  override up(): void {
    this.addSql(`alter table payment_refund add voided_at timestamptz(3), add voided_on date, add void_reason text,
      add constraint payment_refund_voided_for_a_reason check (num_nulls(voided_at, voided_on, void_reason) in (0, 3))`);
  }
}
