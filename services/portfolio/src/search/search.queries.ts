import type { SearchResult } from "@freehold/contract/search";
import type { OrgDb } from "@freehold/kit/db";
import { sql } from "@freehold/kit/statement";

export interface Found {
  type: SearchResult["type"];
  id: string;
  title: string;
  subtitle: string | null;
  words: string;
  /** How like the query it is, where it was found by likeness. */
  likeness: number | null;
}

export interface FoundWithCounts {
  found: Found[];
  counts: Partial<Record<SearchResult["type"], number>>;
}

/** So many of what was found are ranked: more nobody reads, and sorting them costs. */
const RANKED = 500;

/** What has all the patterns in it, titles that begin so first, and how many of each type there are. */
export async function findByPatterns(db: OrgDb, patterns: readonly string[], start: string, types: readonly string[]): Promise<FoundWithCounts> {
  if (types.length === 0) return { found: [], counts: {} };
  const row = await db.first(sql<FoundWithCounts>`with found as materialized (
      select * from find_search_entries(${longestOf(patterns)}, ${[...patterns]}::text[], ${[...types]}::text[]))
    select (select coalesce(json_agg(best), '[]') from (
        select entity_type as type, entity_id as id, title, subtitle, words, null as likeness from found
        order by words not like ${start}, length(title), title, entity_id limit ${sql.lit(RANKED)}) best) as found,
      (select coalesce(json_object_agg(entity_type, count), '{}') from (select entity_type, count(*) from found group by 1) counted) as counts`);
  return row!;
}

const longestOf = (texts: readonly string[]): string => texts.toSorted((a, b) => b.length - a.length)[0]!;

/** What has a word nearly like each of the terms, the likest first. */
export const findByLikeness = async (db: OrgDb, terms: readonly string[], types: readonly string[]): Promise<Found[]> =>
  types.length === 0
    ? []
    : db.all(sql<Found>`select entity_type as type, entity_id as id, title, subtitle, words, likeness
    from find_like_search_entries(${longestOf(terms)}, ${[...terms]}::text[], ${[...types]}::text[], ${sql.lit(50)})`);
