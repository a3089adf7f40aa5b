import type { Output, QueryOf } from "@freehold/contract/operation";
import { searchTypes, type search as contract, type SearchResult } from "@freehold/contract/overview/search";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { escapeLike } from "@freehold/kit/like-pattern";
import type { Clients } from "../../clients.ts";
import { searchLedger, isLedgerType, isPortfolioType } from "./search-money.ts";
import { findBySimilarity, findByPatterns, type SearchHit } from "./search.queries.ts";
import { highlightedWords, likePattern, relevanceScore, parseTerms } from "./search.rules.ts";

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
};

/** Finds whatever the office may see by its words, best first; by likeness when nothing has them all. What the ledger keeps it is asked for meanwhile. */
export async function search(db: OrgDb, clients: Clients, { q, types = [...searchTypes], limit }: QueryOf<Operation>): Promise<Output<Operation>> {
  const own = types.filter(isPortfolioType);
  const terms = parseTerms(q);
  const [things, money] = await Promise.all([
    findByPatterns(db, terms.map(likePattern), escapeLike(terms.join(" ")), own),
    searchLedger(db, clients, terms, types.filter(isLedgerType), limit),
  ]);
  const found = [...things.found, ...money.found];
  if (found.length > 0) return { results: best(found, terms, limit), counts: { ...things.counts, ...money.counts } };
  const like = await findBySimilarity(db, terms, own);
  return { results: best(like, terms, limit), counts: countOf(like) };
}

const byTitle = new Intl.Collator();

function best(found: readonly SearchHit[], terms: readonly string[], limit: number): SearchResult[] {
  const scored = found.map((each) => ({
    ...each,
    score: each.likeness === null ? relevanceScore(terms, each.title, each.words) : Math.round(each.likeness * 30) / 100,
  }));
  // What is alike stays in the order in which it was found: of payments the newest first.
  const ranked = scored.toSorted((a, b) => b.score - a.score || byTitle.compare(a.title, b.title)).slice(0, limit);
  return ranked.map(({ type, id, title, subtitle, score }) => ({
    type,
    id,
    title,
    subtitle,
    url: `/api/${collections[type]}/${id}`,
    highlights: highlightedWords(terms, [title, subtitle]),
    score,
  }));
}

function countOf(found: readonly SearchHit[]): Output<Operation>["counts"] {
  return Object.fromEntries([...Map.groupBy(found, ({ type }) => type)].map(([type, rows]) => [type, rows.length]));
}
