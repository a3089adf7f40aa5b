import { Migration } from "@mikro-orm/migrations";

/**
 * The accounts of a line are checked through the totals that it is added to, once for each account and month, and its entry by
 * `keep_balances`, for all lines of a statement at once. Foreign keys of the lines checked the same again for each line.
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
