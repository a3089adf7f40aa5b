import { Migration } from "@mikro-orm/migrations";

/**
 * Late fees: the terms of each lease, fixed with each rent charge when it is posted, the day of the next assessment of a charge,
 * and the charge and day that a fee is for. Charges posted before this migration have no terms and bear no late fees.
 */
export class LateFees extends Migration {
  override up(): void {
    this.addSql(`alter table lease_copy add late_fee_terms jsonb`);
    this.addSql(`alter table charge add late_fee_terms jsonb, add late_fee_due_on date,
        add late_fee_for_charge_id uuid, add late_fee_kind text, add late_fee_day_index int, add late_fee_assessed_for date,
        add constraint charge_late_fee_terms_of_rent check (late_fee_terms is null or charge_type = 'rent'),
        add constraint charge_late_fee_complete check (num_nonnulls(late_fee_for_charge_id, late_fee_kind, late_fee_day_index, late_fee_assessed_for) in (0, 4)),
        add constraint charge_late_fee_is_a_fee check (late_fee_for_charge_id is null or charge_type = 'late_fee'),
        add constraint charge_late_fee_of_a_charge foreign key (organization_id, late_fee_for_charge_id) references charge (organization_id, id);
      create unique index charge_late_fee_once on charge (organization_id, late_fee_for_charge_id, late_fee_kind, late_fee_day_index) where late_fee_for_charge_id is not null;
      create index charge_by_late_fee_day on charge (organization_id, late_fee_due_on) where late_fee_due_on is not null`);
    // A charge that is open again, or due on another day, is assessed again; fees that exist are not repeated.
    this.addSql(`create function schedule_late_fee() returns trigger language plpgsql as $$
    begin
      new.late_fee_due_on := new.due_date + (new.late_fee_terms ->> 'graceDays')::int + 1;
      return new;
    end $$;
    create trigger schedule_late_fee before update of balance_cents, due_date on charge for each row
      when (new.late_fee_terms is not null and (new.balance_cents > old.balance_cents or new.due_date <> old.due_date)) execute function schedule_late_fee()`);
    // Money or a credit that is dated back may have settled the charge before the fee was due.
    this.addSql(`create function request_review_of_late_fees() returns trigger language plpgsql as $$
    begin
      insert into work_request (job, organization_id) select distinct 'reviewLateFees', added.organization_id from added
        where exists (select from charge fee where fee.organization_id = added.organization_id and fee.late_fee_for_charge_id = added.charge_id and fee.status = 'pending');
      return null;
    end $$;
    create trigger request_review_of_late_fees after insert on payment_allocation referencing new table as added for each statement execute function request_review_of_late_fees();
    create trigger request_review_of_late_fees after insert on charge_credit referencing new table as added for each statement execute function request_review_of_late_fees()`);
  }
}
