import { Migration } from "@mikro-orm/migrations";

/** Keeps the allocations of reversed payments, marked as released. An allocation never changes except by its release, which is final. */
export class ReleasedAllocations extends Migration {
  override up(): void {
    this.addSql(`alter table payment_allocation add released_on date, add released_at timestamptz(3),
      add constraint payment_allocation_released_on_a_day check ((released_on is null) = (released_at is null))`);
    this.addSql(`create function refuse_change_of_allocation() returns trigger language plpgsql as $$
    begin
      if old.released_at is not null or (new.organization_id, new.id, new.payment_id, new.charge_id, new.amount_cents, new.entry_id)
          is distinct from (old.organization_id, old.id, old.payment_id, old.charge_id, old.amount_cents, old.entry_id) then
        raise exception 'an allocation changes only by its release, which is final' using errcode = 'insufficient_privilege';
      end if;
      return new;
    end $$;
    create trigger payment_allocation_is_final before update on payment_allocation for each row execute function refuse_change_of_allocation()`);
  }
}
