import { Migration } from "@mikro-orm/migrations";

/** The search of the lists of payments and expenses finds its candidates in the trigram index. */
export class ListSearches extends Migration {
  override up(): void {
    // The pattern is a part of the statement text, so that each search is planned for its own words.
    this.addSql(`create function find_search_candidates(search text, kind text) returns setof uuid language plpgsql stable security definer
      set search_path = public, pg_temp set max_parallel_workers_per_gather = 0 set enable_seqscan = off set enable_indexscan = off as $$
    begin
      return query execute format('select entity_id from search_entry where organization_id = (case when portal_role() is null then current_organization() end)
        and entity_type = $1 and words like %L', '%' || regexp_replace(lower(unaccent('unaccent', search)), '([\\\\%_])', '\\\\\\1', 'g') || '%') using kind;
    end $$`);
  }
}
