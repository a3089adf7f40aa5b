import { Migration } from "@mikro-orm/migrations";

const tables = ["book", "charge", "payment", "journal_entry", "journal_line", "account_month"];
const forEachTable = (statementFor: (table: string) => string): string => tables.map(statementFor).join("; ");

/**
 * Adds the day on which a charge was last reopened, and the amount that was open throughout the time from its due date to that
 * day. Dates the entries of existing charges on their due dates. An entry that was posted ahead keeps its date if a payment may
 * have settled the charge before the due date.
 */
export class DatedSettlements extends Migration {
  override up(): void {
    this.addSql(`alter table charge add reopened_on date, add open_before_reopening_cents bigint`);
    this.addSql(forEachTable((table) => `alter table ${table} no force row level security`));
    this.addSql(forEachTable((table) => `alter table ${table} disable trigger user`));
    this.addSql(`create temporary table redated on commit drop as
      select c.organization_id, c.entry_id, c.due_date, c.due_date::timestamp at time zone b.timezone as occurred_at
      from charge c join book b on b.organization_id = c.organization_id
        join journal_entry e on e.organization_id = c.organization_id and e.id = c.entry_id
      where c.due_date < e.entry_date or (c.due_date > e.entry_date and c.status = 'pending'
        and not exists (select from payment p where p.organization_id = c.organization_id and (p.lease_id = c.lease_id or p.lease_id is null) and p.status = 'reversed'))`);
    this.addSql(`update journal_entry e set entry_date = redated.due_date, occurred_at = redated.occurred_at
      from redated where e.organization_id = redated.organization_id and e.id = redated.entry_id`);
    this.addSql(`update journal_line l set entry_date = redated.due_date
      from redated where l.organization_id = redated.organization_id and l.entry_id = redated.entry_id`);
    this.addSql(`delete from account_month`);
    this.addSql(`insert into account_month (organization_id, account_id, month, shard, debit_cents, credit_cents)
      select organization_id, account_id, date_trunc('month', entry_date)::date, 0, sum(debit_cents), sum(credit_cents) from journal_line group by 1, 2, 3`);
    this.addSql(forEachTable((table) => `alter table ${table} enable trigger user`));
    this.addSql(forEachTable((table) => `alter table ${table} force row level security`));
  }
}
