import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Budgets of properties and of the portfolio. Their lines are read and replaced as a whole. */
export class Budgets extends Migration {
  override up(): void {
    this.addSql(`create table budget (${orgColumnsSql},
      property_id uuid,
      name text not null,
      fiscal_year smallint not null,
      start_month smallint not null,
      basis text not null,
      status text not null,
      lines jsonb not null,
      deleted_at timestamptz(3),
      constraint budget_starts_in_a_month check (start_month between 1 and 12),
      constraint budget_on_a_basis check (basis in ('accrual', 'cash')),
      constraint budget_status_known check (status in ('draft', 'active', 'archived')),
      constraint budget_has_lines check (jsonb_typeof(lines) = 'array')
    );
    create unique index budget_one_active_a_year on budget (organization_id, property_id, fiscal_year) nulls not distinct where status = 'active' and deleted_at is null;
    create index budget_by_year on budget (organization_id, fiscal_year, id);
    ${rowLevelSecuritySql("budget")}`);
  }
}
