import { Migration } from "@mikro-orm/migrations";

/** Of what has the words so many are compared, and as many of those that have them one after the other. */
const COMPARED = 5_000;

/**
 * What has many words is found by all of them in the index, and each statement is planned for the words it is given. All are
 * counted, and the best are found without looking at all: of very many, those that have the very words come first.
 */
export class SearchCounted extends Migration {
  override up(): void {
    this.addSql(`create function having_all(patterns text[]) returns text language sql immutable as $$
      select string_agg(format('words like %L', pattern), ' and ') from unnest(patterns) as pattern $$`);
    // No index answers a pattern behind row-level security: the functions stand before it, inside the organization of the request.
    const found = `from search_entry where organization_id = nullif(current_setting('app.organization_id', true), '')::uuid
        and ($1 is null or entity_type = any ($1)) and `;
    // Whoever reads the first of very many in any other order than the index of words gives reads most of the table.
    const how = `language plpgsql stable security definer set search_path = public set max_parallel_workers_per_gather = 0
      set enable_seqscan = off set enable_indexscan = off`;
    const columns = "entity_type, entity_id, title, subtitle, words";
    const beyond = (pattern: string) => `(select ${columns} ${found} words like ${pattern} and (select count(*) from found) = ${COMPARED} limit ${COMPARED})`;
    this.addSql(`create function best_search_entries(patterns text[], types text[], phrase text, at_most int)
      returns table (entity_type text, entity_id uuid, title text, subtitle text, words text) ${how} as $$
    #variable_conflict use_column
    begin
      return query execute format($query$
        with found as materialized (select ${columns} ${found} %s limit ${COMPARED})
        select * from (select * from found union ${beyond("$2")} union ${beyond("$3")}) compared
        order by words not like $3, octet_length(title), entity_id limit $4 $query$, having_all(patterns))
        using types, '% ' || phrase || ' %', '% ' || phrase || '%', at_most;
    end $$`);
    this.addSql(`create function count_search_entries(patterns text[], types text[]) returns table (entity_type text, count bigint) ${how} as $$
    #variable_conflict use_column
    begin
      return query execute format($query$select entity_type, count(*) ${found} %s group by 1$query$, having_all(patterns)) using types;
    end $$`);
  }
}
