import { Migration } from "@mikro-orm/migrations";

/**
 * An allocation finds the late fees of its charge by the index of late fees, not among all charges of the organization. A fee that
 * was waived in part is reviewed like an unpaid one.
 */
export class LateFeeReviews extends Migration {
  override up(): void {
    // `not is_superseded` repeats the condition of the index, so that the planner uses it.
    this.addSql(`create or replace function request_review_of_late_fees() returns trigger language plpgsql as $$
    begin
      insert into work_request (job, organization_id) select distinct 'reviewLateFees', added.organization_id from added
        where exists (select from charge fee where fee.organization_id = added.organization_id and fee.late_fee_for_charge_id = added.charge_id
          and not fee.is_superseded and fee.allocated_cents = 0 and fee.balance_cents > 0);
      return null;
    end $$`);
  }
}
