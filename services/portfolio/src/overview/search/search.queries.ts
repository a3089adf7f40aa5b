import { searchTypes, type SearchResult } from "@freehold/contract/overview/search";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { isPortfolioType, type PortfolioType } from "./search-money.ts";

export interface SearchHit {
  type: SearchResult["type"];
  id: string;
  title: string;
  subtitle: string | null;
  words: string;
  /** How like the query it is, where it was found by likeness. */
  likeness: number | null;
}

export interface SearchHits {
  found: SearchHit[];
  counts: Partial<Record<SearchResult["type"], number>>;
}

/** So many of what was found are ranked: more nobody reads, and sorting them costs. */
const RANKED = 500;

const ownTypes = searchTypes.filter(isPortfolioType);

/** Looking at the type of each of very many costs more than to find them all. */
const unlessAll = (types: readonly PortfolioType[]): PortfolioType[] | null => (types.length < ownTypes.length ? [...types] : null);

/** What has all the patterns in it, titles that begin so first, and how many of each type there are. */
export async function findByPatterns(db: OrgDb, patterns: readonly string[], phrase: string, types: readonly PortfolioType[]): Promise<SearchHits> {
  if (types.length === 0) return { found: [], counts: {} };
  const asked = sql`${[...patterns]}::text[], ${unlessAll(types)}::text[]`;
  const [found, counted] = await Promise.all([
    db.all(sql<SearchHit>`select entity_type as type, entity_id as id, title, subtitle, words, null as likeness
      from best_search_entries(${asked}, ${phrase}, ${sql.lit(RANKED)})`),
    db.all(sql<{ type: SearchHit["type"]; count: number }>`select entity_type as type, count from count_search_entries(${asked})`),
  ]);
  return { found, counts: Object.fromEntries(counted.map(({ type, count }) => [type, count])) };
}

const longestOf = (texts: readonly string[]): string => texts.toSorted((a, b) => b.length - a.length)[0]!;

/** What has a word nearly like each of the terms, the likest first. */
export const findBySimilarity = async (db: OrgDb, terms: readonly string[], types: readonly PortfolioType[]): Promise<SearchHit[]> =>
  types.length === 0
    ? []
    : db.all(sql<SearchHit>`select entity_type as type, entity_id as id, title, subtitle, words, likeness
    from find_like_search_entries(${longestOf(terms)}, ${[...terms]}::text[], ${[...types]}::text[], ${sql.lit(50)})`);
