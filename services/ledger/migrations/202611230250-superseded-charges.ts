import { Migration } from "@mikro-orm/migrations";

/**
 * Charges of a recurring charge that were voided because its terms changed are superseded, so that their days can be charged
 * again. Charges of one recurring charge that are not superseded never cover the same day. Charges that were voided before this
 * migration are not superseded, because the charges that replaced them do not name the recurring charge.
 */
export class SupersededCharges extends Migration {
  override up(): void {
    this.addSql(`alter table charge add is_superseded boolean not null default false,
      add constraint charge_superseded_is_voided check (not is_superseded or status = 'voided')`);
    this.addSql(`drop index charge_period_posted_once;
      create unique index charge_period_posted_once on charge (organization_id, recurring_charge_rule_id, period_start)
        where recurring_charge_rule_id is not null and not is_superseded`);
    this.addSql(`create function refuse_overlapping_charges() returns trigger language plpgsql as $$
    begin
      if exists (select from added join charge other on other.organization_id = added.organization_id and other.recurring_charge_rule_id = added.recurring_charge_rule_id
          and other.id <> added.id and not other.is_superseded and other.period_start <= added.period_end and other.period_end >= added.period_start
          where added.recurring_charge_rule_id is not null) then
        raise exception 'two charges of a recurring charge cover the same day' using errcode = 'exclusion_violation', constraint = 'charge_days_posted_once';
      end if;
      return null;
    end $$;
    create trigger charge_days_posted_once after insert on charge referencing new table as added for each statement execute function refuse_overlapping_charges()`);
  }
}
