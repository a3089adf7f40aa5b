import { Migration } from "@mikro-orm/migrations";

/** Adds a trigger that copies a change of a charge's due date to its row of `open_charge`. */
export class MovedDueDates extends Migration {
  override up(): void {
    this.addSql(`create function move_open_charge_due_date() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      update open_charge set due_date = new.due_date where organization_id = new.organization_id and charge_id = new.id;
      return null;
    end $$;
    create trigger move_open_charge_due_date after update of due_date on charge for each row when (new.due_date <> old.due_date)
      execute function move_open_charge_due_date()`);
  }
}
