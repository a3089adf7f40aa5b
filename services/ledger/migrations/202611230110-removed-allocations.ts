import { Migration } from "@mikro-orm/migrations";

/**
 * Adds the entry that reverses an allocation, and the day from which the whole credit of a payment is available, with the amount
 * that was available before.
 */
export class RemovedAllocations extends Migration {
  override up(): void {
    this.addSql(`alter table payment_allocation add release_entry_id uuid,
      add constraint payment_allocation_taken_back_when_released check (release_entry_id is null or released_at is not null)`);
    this.addSql(`alter table payment add credit_released_on date, add credit_before_release_cents bigint,
      add constraint payment_credit_before_release check ((credit_released_on is null) = (credit_before_release_cents is null) and credit_before_release_cents >= 0)`);
  }
}
