import { Migration } from "@mikro-orm/migrations";

/**
 * Table function over balances that a query receives as arrays. The planner cannot estimate their number; the declared row
 * count makes it hash the balances instead of scanning them once per row.
 */
export class Balances extends Migration {
  override up(): void {
    this.addSql(`create function balances_of(ids uuid[], amounts bigint[]) returns table (id uuid, cents bigint)
      language sql immutable strict rows 100000 as $$ select * from unnest(ids, amounts) $$`);
  }
}
