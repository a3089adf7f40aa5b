import { Migration } from "@mikro-orm/migrations";

/**
 * Adds the amount of a reversed credit that is still to be carried from its superseded charge to the charges that replace it in the same
 * month. The reversal stays final, and the amount never increases.
 */
export class CarriedCredits extends Migration {
  override up(): void {
    this.addSql(`alter table charge_credit add carryable_cents bigint not null default 0,
      add constraint charge_credit_carryable_of_a_reversal check (carryable_cents = 0 or (reversed_at is not null and carryable_cents between 0 and amount_cents))`);
    this.addSql(`create index charge_credit_carryable on charge_credit (organization_id, charge_id) where carryable_cents > 0`);
    this.addSql(`create or replace function refuse_change_of_credit() returns trigger language plpgsql as $$
    begin
      if (new.organization_id, new.id, new.charge_id, new.amount_cents, new.reason, new.memo, new.credited_on, new.entry_id)
          is distinct from (old.organization_id, old.id, old.charge_id, old.amount_cents, old.reason, old.memo, old.credited_on, old.entry_id)
        or (old.reversed_at is not null and ((new.reversed_at, new.reversal_entry_id) is distinct from (old.reversed_at, old.reversal_entry_id)
          or new.carryable_cents > old.carryable_cents)) then
        raise exception 'a credit changes only by its reversal, which is final' using errcode = 'insufficient_privilege';
      end if;
      return new;
    end $$`);
  }
}
