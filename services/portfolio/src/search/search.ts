import type { Output, QueryOf } from "@freehold/contract/operation";
import { searchTypes, type search as contract, type SearchResult } from "@freehold/contract/search";
import type { OrgDb } from "@freehold/kit/db";
import type { Clients } from "../clients.ts";
import { findMoney, isMoney } from "./search-money.ts";
import { findByLikeness, findByPatterns, type Found } from "./search.queries.ts";
import { beginningWith, highlightsOf, patternOf, scoreOf, termsOf } from "./search.rules.ts";

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
export async function search(db: OrgDb, ask: Clients, { q, types = [...searchTypes], limit }: QueryOf<Operation>): Promise<Output<Operation>> {
  const own = types.filter((type) => !isMoney(type));
  const terms = termsOf(q);
  const [things, money] = await Promise.all([
    findByPatterns(db, terms.map(patternOf), beginningWith(terms), own),
    findMoney(db, ask, terms, types.filter(isMoney), limit),
  ]);
  const found = [...things.found, ...money.found];
  if (found.length > 0) return { results: best(found, terms, limit), counts: { ...things.counts, ...money.counts } };
  const like = await findByLikeness(db, terms, own);
  return { results: best(like, terms, limit), counts: countOf(like) };
}

function best(found: readonly Found[], terms: readonly string[], limit: number): SearchResult[] {
  const results = found.map(({ type, id, title, subtitle, words, likeness }) => ({
    type,
    id,
    title,
    subtitle,
    url: `/api/${collections[type]}/${id}`,
    highlights: highlightsOf(terms, [title, subtitle]),
    score: likeness === null ? scoreOf(terms, title, words) : Math.round(likeness * 30) / 100,
  }));
  // What is alike stays in the order in which it was found: of payments the newest first.
  return results.toSorted((a, b) => b.score - a.score || a.title.localeCompare(b.title)).slice(0, limit);
}

function countOf(found: readonly Found[]): Output<Operation>["counts"] {
  return Object.fromEntries([...Map.groupBy(found, ({ type }) => type)].map(([type, rows]) => [type, rows.length]));
}
