import { Migration } from "@mikro-orm/migrations";

/** Drops the unused search function that took the longest word as a separate parameter. `refuse_change` names the table in its message. */
export class UnusedSearch extends Migration {
  override up(): void {
    this.addSql(`drop function find_search_entries(text, text[], text, integer)`);
    this.addSql(`create or replace function refuse_change() returns trigger language plpgsql as $$
    begin
      if tg_table_name like 'journal%' then
        raise exception 'the journal is never rewritten: post a reversal' using errcode = 'insufficient_privilege';
      end if;
      raise exception '% is maintained by triggers', tg_table_name using errcode = 'insufficient_privilege';
    end $$`);
  }
}
