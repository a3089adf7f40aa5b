import { Migration } from "@mikro-orm/migrations";

/**
 * A credit that was carried from a superseded charge names the credit that the office gave, so that the reversal of any part of it
 * stops carrying the rest.
 */
export class OriginalsOfCarriedCredits extends Migration {
  override up(): void {
    this.addSql(`alter table charge_credit add original_credit_id uuid,
      add constraint charge_credit_of_an_original foreign key (organization_id, original_credit_id) references charge_credit (organization_id, id)`);
    this.addSql(`create or replace function refuse_change_of_credit() returns trigger language plpgsql as $$
    begin
      if (new.organization_id, new.id, new.charge_id, new.amount_cents, new.reason, new.memo, new.credited_on, new.entry_id, new.original_credit_id)
          is distinct from (old.organization_id, old.id, old.charge_id, old.amount_cents, old.reason, old.memo, old.credited_on, old.entry_id, old.original_credit_id)
        or (old.reversed_at is not null and ((new.reversed_at, new.reversal_entry_id) is distinct from (old.reversed_at, old.reversal_entry_id)
          or new.carryable_cents > old.carryable_cents)) then
        raise exception 'a credit changes only by its reversal, which is final' using errcode = 'insufficient_privilege';
      end if;
      return new;
    end $$`);
  }
}
