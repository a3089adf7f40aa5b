import { Migration } from "@mikro-orm/migrations";

/** A charge names the expense that it bills to the tenant; an expense has one such charge that is not voided. */
export class ChargesOfExpenses extends Migration {
  override up(): void {
    this.addSql(`set local statement_timeout = 0`);
    this.addSql(`alter table charge add column expense_id uuid,
        add constraint charge_of_an_expense foreign key (organization_id, expense_id) references expense (organization_id, id);
      create unique index charge_expense_billed_once on charge (organization_id, expense_id) where expense_id is not null and status <> 'voided'`);
  }
}
