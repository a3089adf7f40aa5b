import { Migration } from "@mikro-orm/migrations";

/** Journal lines name the expense that they post or settle, so that its owners are those of the day on which it was incurred. */
export class ExpensesOfLines extends Migration {
  override up(): void {
    this.addSql(`alter table journal_line add column expense_id uuid`);
    // The owner of the tables sees no rows under forced row-level security, and the update of a large journal takes long.
    this.addSql(`set local statement_timeout = 0; alter table journal_line no force row level security; alter table journal_entry no force row level security;
      alter table expense no force row level security; alter table expense_allocation no force row level security;
      alter table journal_line disable trigger user`);
    this.addSql(`update journal_line l set expense_id = e.source_id from journal_entry e
      where e.organization_id = l.organization_id and e.id = l.entry_id and e.source_type = 'expense'`);
    // Lines of a settlement of several expenses of a property and account do not tell which of them they settle.
    this.addSql(`update journal_line l set expense_id = settled.expense_id
      from (select a.organization_id, a.entry_id, x.property_id, x.category_id, min(x.id::text)::uuid as expense_id
        from expense_allocation a join expense x on x.organization_id = a.organization_id and x.id = a.expense_id
        group by 1, 2, 3, 4 having count(distinct x.id) = 1) settled, journal_entry e
      where e.organization_id = settled.organization_id and settled.entry_id in (e.id, e.reverses_id) and l.organization_id = e.organization_id
        and l.entry_id = e.id and l.property_id = settled.property_id and l.cash_account_id = settled.category_id`);
    this.addSql(`alter table journal_line enable trigger user; alter table journal_line force row level security; alter table journal_entry force row level security;
      alter table expense force row level security; alter table expense_allocation force row level security`);
  }
}
