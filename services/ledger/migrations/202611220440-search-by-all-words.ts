import { Migration } from "@mikro-orm/migrations";

/**
 * Search that combines the conditions on all words in the trigram index. The patterns are part of the statement text, so that each
 * search is planned for its own words.
 */
export class SearchByAllWords extends Migration {
  override up(): void {
    // Row-level security prevents the planner from using the trigram index, so a function that bypasses it restricts the rows to the request's organization.
    this.addSql(`create function find_search_entries(patterns text[], kind text, at_most int) returns setof uuid
      language plpgsql stable security definer set search_path = public set max_parallel_workers_per_gather = 0 as $$
    begin
      return query execute 'select entity_id from search_entry where organization_id = nullif(current_setting(''app.organization_id'', true), '''')::uuid
        and entity_type = $1 and ' || (select string_agg(format('words like %L', pattern), ' and ') from unnest(patterns) as pattern) || ' limit $2'
        using kind, at_most;
    end $$`);
  }
}
