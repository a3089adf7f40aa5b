import { Migration } from "@mikro-orm/migrations";

/** Statistics of tables that many rows were just added to, which the service's role may update although it does not own the tables. */
export class GrownTables extends Migration {
  override up(): void {
    this.addSql(`create function analyze_grown_tables() returns void language plpgsql security definer set search_path = public, pg_temp as $$
    declare
      grown name;
    begin
      for grown in select c.relname from pg_stat_user_tables s join pg_class c on c.oid = s.relid
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition and pg_get_userbyid(c.relowner) = current_user
          and s.n_mod_since_analyze > greatest(200, c.reltuples / 2)
      loop
        execute format('analyze (skip_locked) %I', grown);
      end loop;
    end $$`);
  }
}

/**
 * Statistics of a sample of 3 000 rows instead of 30 000, which suffices for a choice between indexes and costs an import a tenth, and only of tables
 * that have more rows: an import updates each row a few times. Pages of idempotency keys keep room for their responses, which follow the keys.
 */
export class SampledStatistics extends Migration {
  override up(): void {
    this.addSql(`create or replace function analyze_grown_tables() returns void language plpgsql security definer
      set search_path = public, pg_temp set default_statistics_target = 10 as $$
    declare
      grown name;
    begin
      for grown in select c.relname from pg_stat_user_tables s join pg_class c on c.oid = s.relid
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition and pg_get_userbyid(c.relowner) = current_user
          and s.n_live_tup - greatest(c.reltuples, 0) > greatest(200, c.reltuples / 2)
      loop
        execute format('analyze (skip_locked) %I', grown);
      end loop;
    end $$`);
    this.addSql("alter table idempotency_key set (fillfactor = 50)");
  }
}
