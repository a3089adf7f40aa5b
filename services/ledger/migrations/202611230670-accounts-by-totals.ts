import { Migration } from "@mikro-orm/migrations";

/**
 * Drops the foreign keys of journal lines, which PostgreSQL checks for each line. `keep_balances` checks the entries of all lines of
 * a statement at once. It adds the lines to `account_month`, whose foreign key checks each account once per month.
 */
export class AccountsByTotals extends Migration {
  override up(): void {
    this.addSql(
      `alter table account_month add constraint account_month_of_an_account foreign key (organization_id, account_id) references category (organization_id, id)`,
    );
    this.addSql(
      `alter table journal_line drop constraint journal_line_of_an_entry, drop constraint journal_line_on_an_account, drop constraint journal_line_on_a_cash_account`,
    );
  }
}
