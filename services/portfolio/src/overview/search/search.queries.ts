import { searchTypes, type SearchResult } from "@freehold/contract/overview/search";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { isPortfolioType, type PortfolioType } from "./search.rules.ts";

export interface SearchHit {
  type: SearchResult["type"];
  id: string;
  title: string;
  subtitle: string | null;
  words: string;
  /** Similarity from 0 to 1, or null for a hit found by pattern. */
  similarity: number | null;
}

export interface SearchHits {
  hits: SearchHit[];
  counts: Partial<Record<SearchResult["type"], number>>;
}

/** Maximum number of hits that the database returns for scoring. */
const MAX_HITS = 500;

/** Words that count for the relevance: of a long description only the first ones. */
const scoredWords = sql`left(words, 1000) as words`;

const portfolioTypes = searchTypes.filter(isPortfolioType);

/** Returns the type filter, or null for all types: without a filter the search is faster. */
const typeFilter = (types: readonly PortfolioType[]): PortfolioType[] | null => (types.length < portfolioTypes.length ? [...types] : null);

/**
 * Returns up to `MAX_HITS` entries that match all patterns: first those that contain the phrase at the start of a word, then by length
 * of the title. The counts by type include all matching entries. The phrase is escaped for LIKE.
 */
export async function findByPatterns(db: OrgDb, patterns: readonly string[], escapedPhrase: string, types: readonly PortfolioType[]): Promise<SearchHits> {
  if (types.length === 0) return { hits: [], counts: {} };
  const filter = sql`${[...patterns]}::text[], ${typeFilter(types)}::text[]`;
  const [hits, countRows] = await Promise.all([
    db.all(sql<SearchHit>`select entity_type as type, entity_id as id, title, subtitle, ${scoredWords}, null as similarity
      from best_search_entries(${filter}, ${escapedPhrase}, ${sql.lit(MAX_HITS)})`),
    db.all(sql<{ type: SearchHit["type"]; count: number }>`select entity_type as type, count from count_search_entries(${filter})`),
  ]);
  return { hits, counts: Object.fromEntries(countRows.map(({ type, count }) => [type, count])) };
}

const longestOf = (texts: readonly string[]): string => texts.toSorted((a, b) => b.length - a.length)[0]!;

/** Maximum number of similar entries. */
const MAX_SIMILAR = 50;

/** Returns up to `MAX_SIMILAR` entries that contain a similar word for each term, the most similar first. */
export const findBySimilarity = async (db: OrgDb, terms: readonly string[], types: readonly PortfolioType[]): Promise<SearchHit[]> =>
  types.length === 0
    ? []
    : db.all(sql<SearchHit>`select entity_type as type, entity_id as id, title, subtitle, ${scoredWords}, likeness as similarity
    from find_like_search_entries(${longestOf(terms)}, ${[...terms]}::text[], ${[...types]}::text[], ${sql.lit(MAX_SIMILAR)})`);
