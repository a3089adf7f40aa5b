import { Migration } from "@mikro-orm/migrations";

/** Balances come from the ledger with a request. How many they are no plan can see; this one says that they are many, so that each is looked up and not searched for. */
export class Balances extends Migration {
  override up(): void {
    this.addSql(`create function balances_of(ids uuid[], amounts bigint[]) returns table (id uuid, cents bigint)
      language sql immutable strict rows 100000 as $$ select * from unnest(ids, amounts) $$`);
  }
}
