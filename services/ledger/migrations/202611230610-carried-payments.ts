import { Migration } from "@mikro-orm/migrations";

/**
 * Adds the amount of a released allocation that is still to be carried from its superseded charge to the charges that replace it in the
 * same month. The release stays final, and the amount only decreases.
 */
export class CarriedPayments extends Migration {
  override up(): void {
    this.addSql(`alter table payment_allocation add carryable_cents bigint not null default 0,
      add constraint payment_allocation_carryable_of_a_release check (carryable_cents = 0 or (released_at is not null and carryable_cents between 0 and amount_cents))`);
    this.addSql(`create index payment_allocation_carryable on payment_allocation (organization_id, charge_id) where carryable_cents > 0`);
    this.addSql(`create or replace function refuse_change_of_allocation() returns trigger language plpgsql as $$
    begin
      if (new.organization_id, new.id, new.payment_id, new.charge_id, new.amount_cents, new.entry_id)
          is distinct from (old.organization_id, old.id, old.payment_id, old.charge_id, old.amount_cents, old.entry_id)
        or (old.released_at is not null and ((new.released_on, new.released_at, new.release_entry_id)
          is distinct from (old.released_on, old.released_at, old.release_entry_id) or new.carryable_cents >= old.carryable_cents)) then
        raise exception 'an allocation changes only by its release, which is final' using errcode = 'insufficient_privilege';
      end if;
      return new;
    end $$`);
  }
}
