import type { Output, QueryOf } from "@freehold/contract/operation";
import { searchTypes, type search as contract, type SearchResult } from "@freehold/contract/overview/search";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { escapeLike } from "@freehold/kit/like-pattern";
import type { Clients } from "../../clients.ts";
import { searchLedger } from "./search-ledger.ts";
import { findBySimilarity, findByPatterns, type SearchHit } from "./search.queries.ts";
import { isLedgerType, isPortfolioType, highlightedWords, likePattern, relevanceScore, parseTerms } from "./search.rules.ts";

type Operation = (typeof contract)["operations"]["search"];

const collections: Record<SearchResult["type"], string> = {
  property: "properties",
  unit: "units",
  tenant: "tenants",
  lease: "leases",
  owner: "owners",
  vendor: "vendors",
  work_order: "work-orders",
  document: "documents",
  payment: "payments",
  charge: "charges",
  expense: "expenses",
};

/** Searches portfolio and ledger concurrently, best results first. Falls back to similarity when nothing matches all terms. */
export async function search(db: OrgDb, clients: Clients, { q, types = [...searchTypes], limit }: QueryOf<Operation>): Promise<Output<Operation>> {
  const portfolioTypes = types.filter(isPortfolioType);
  const terms = parseTerms(q);
  const [entries, transactions] = await Promise.all([
    findByPatterns(db, terms.map(likePattern), escapeLike(terms.join(" ")), portfolioTypes),
    searchLedger(db, clients, terms, types.filter(isLedgerType), limit),
  ]);
  const hits = [...entries.hits, ...transactions.hits];
  if (hits.length > 0) return { results: rankHits(hits, terms, limit), counts: { ...entries.counts, ...transactions.counts } };
  const similarEntries = await findBySimilarity(db, terms, portfolioTypes);
  return { results: rankHits(similarEntries, terms, limit), counts: countByType(similarEntries) };
}

const byTitle = new Intl.Collator();

function rankHits(hits: readonly SearchHit[], terms: readonly string[], limit: number): SearchResult[] {
  const scoredHits = hits.map((hit) => ({
    ...hit,
    score: hit.similarity === null ? relevanceScore(terms, hit.title, hit.words) : Math.round(hit.similarity * 30) / 100,
  }));
  // The sort is stable: hits of equal score and title keep their order, payments newest first.
  const rankedHits = scoredHits.toSorted((a, b) => b.score - a.score || byTitle.compare(a.title, b.title)).slice(0, limit);
  return rankedHits.map(({ type, id, title, subtitle, score }) => ({
    type,
    id,
    title,
    subtitle,
    url: `/api/${collections[type]}/${id}`,
    highlights: highlightedWords(terms, [title, subtitle]),
    score,
  }));
}

function countByType(hits: readonly SearchHit[]): Output<Operation>["counts"] {
  return Object.fromEntries([...Map.groupBy(hits, ({ type }) => type)].map(([type, rows]) => [type, rows.length]));
}
