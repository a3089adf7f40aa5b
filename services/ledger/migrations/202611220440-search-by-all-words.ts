import { Migration } from "@mikro-orm/migrations";

/** What has many words is found by all of them in the index, and each statement is planned for the words it is given. */
export class SearchByAllWords extends Migration {
  override up(): void {
    // No index answers a pattern behind row-level security: the function stands before it, inside the organization of the request.
    this.addSql(`create function find_search_entries(patterns text[], kind text, at_most int) returns setof uuid
      language plpgsql stable security definer set search_path = public set max_parallel_workers_per_gather = 0 as $$
    begin
      return query execute 'select entity_id from search_entry where organization_id = nullif(current_setting(''app.organization_id'', true), '''')::uuid
        and entity_type = $1 and ' || (select string_agg(format('words like %L', pattern), ' and ') from unnest(patterns) as pattern) || ' limit $2'
        using kind, at_most;
    end $$`);
  }
}
