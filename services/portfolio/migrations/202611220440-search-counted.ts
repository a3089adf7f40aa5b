import { Migration } from "@mikro-orm/migrations";

/** Maximum number of matches that are ranked, per pattern. */
const MAX_RANKED = 5_000;

/**
 * Search functions that count all matches and rank a bounded number of them. The patterns are part of the statement text, so
 * that each search is planned for its own words and combines them in the trigram index. When there are more matches than are
 * ranked, matches of the whole phrase are ranked in addition.
 */
export class SearchCounts extends Migration {
  override up(): void {
    this.addSql(`create function having_all(patterns text[]) returns text language sql immutable as $$
      select string_agg(format('words like %L', pattern), ' and ') from unnest(patterns) as pattern $$`);
    // PostgreSQL does not use the trigram index under row-level security, since `like` is not leakproof. The functions bypass the policy and filter by organization themselves.
    const fromEntries = `from search_entry where organization_id = nullif(current_setting('app.organization_id', true), '')::uuid
        and ($1 is null or entity_type = any ($1)) and `;
    // With `limit`, the planner would prefer a sequential or ordered scan, which reads most of the table before it finds enough matches.
    const functionOptions = `language plpgsql stable security definer set search_path = public set max_parallel_workers_per_gather = 0
      set enable_seqscan = off set enable_indexscan = off`;
    const columns = "entity_type, entity_id, title, subtitle, words";
    const phraseMatches = (pattern: string) =>
      `(select ${columns} ${fromEntries} words like ${pattern} and (select count(*) from found) = ${MAX_RANKED} limit ${MAX_RANKED})`;
    this.addSql(`create function best_search_entries(patterns text[], types text[], phrase text, at_most int)
      returns table (entity_type text, entity_id uuid, title text, subtitle text, words text) ${functionOptions} as $$
    #variable_conflict use_column
    begin
      return query execute format($query$
        with found as materialized (select ${columns} ${fromEntries} %s limit ${MAX_RANKED})
        select * from (select * from found union ${phraseMatches("$2")} union ${phraseMatches("$3")}) compared
        order by words not like $3, octet_length(title), entity_id limit $4 $query$, having_all(patterns))
        using types, '% ' || phrase || ' %', '% ' || phrase || '%', at_most;
    end $$`);
    this.addSql(`create function count_search_entries(patterns text[], types text[]) returns table (entity_type text, count bigint) ${functionOptions} as $$
    #variable_conflict use_column
    begin
      return query execute format($query$select entity_type, count(*) ${fromEntries} %s group by 1$query$, having_all(patterns)) using types;
    end $$`);
  }
}
