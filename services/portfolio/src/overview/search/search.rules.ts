/** Rules of search: terms, patterns, relevance and highlights. */
import type { SearchResult } from "@freehold/contract/overview/search";
import { containsPattern, escapeLike } from "@freehold/kit/like-pattern";

const ledgerTypes = ["payment", "charge", "expense"] as const;
/** Types of results that the ledger finds. */
export type LedgerType = (typeof ledgerTypes)[number];

/** Tells whether the ledger finds results of a type. */
export const isLedgerType = (type: SearchResult["type"]): type is LedgerType => (ledgerTypes as readonly string[]).includes(type);

/** Types of results that portfolio finds itself. */
export type PortfolioType = Exclude<SearchResult["type"], LedgerType>;
/** Tells whether portfolio finds results of a type itself. */
export const isPortfolioType = (type: SearchResult["type"]): type is PortfolioType => !isLedgerType(type);

/** Letters and fractions that `unaccent` of PostgreSQL, which normalizes the search index, replaces although they have no decomposition without an accent. */
const replacements: Readonly<Record<string, string>> = {
  æ: "ae",
  œ: "oe",
  ß: "ss",
  þ: "th",
  ð: "d",
  đ: "d",
  ħ: "h",
  ı: "i",
  ĸ: "q",
  ŀ: "l",
  ł: "l",
  ŉ: "'n",
  ŋ: "n",
  ø: "o",
  ŧ: "t",
  ё: "е",
  "¼": " 1/4",
  "½": " 1/2",
  "¾": " 3/4",
};
const withoutMarks = (letter: string): string => letter.normalize("NFKD").replace(/\p{M}/gu, "");

/** Normalizes text like the search index: lower case, Latin and Greek letters without accents. The letters of other scripts keep their marks. */
export const normalizeText = (text: string): string =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\p{Script=Latin}\p{Script=Greek}ё¼½¾]\p{M}*/gu, (letter) => replacements[letter] ?? withoutMarks(letter));

const AMOUNT = /^\$?(\d{1,3}(?:,\d{3})+|\d+)(\.\d{2})?$/;
const PHONE = /^\+?[\d().\s-]{7,}$/;

/** Returns the cents of an amount with a dollar sign, thousands separators or a fraction. A plain number is not an amount. */
function parseCents(term: string): number | undefined {
  const [, whole, fraction] = AMOUNT.exec(term) ?? [];
  if (!whole || !(term.startsWith("$") || whole.includes(",") || fraction)) return undefined;
  return Number(whole.replaceAll(",", "")) * 100 + Number(fraction?.slice(1) ?? 0);
}

/** Returns the search term of a word: an amount becomes `$` and its cents. */
function toTerm(word: string): string {
  const amountCents = parseCents(word);
  return amountCents === undefined ? word : `$${amountCents}`;
}

/** Returns the search terms of a query. A phone number, unless it is an amount, is one term of digits. */
export function parseTerms(query: string): string[] {
  const trimmed = normalizeText(query).trim();
  const digits = trimmed.replace(/\D/g, "");
  if (parseCents(trimmed) === undefined && PHONE.test(trimmed) && digits.length >= 7) return [digits];
  return trimmed.split(/\s+/).map(toTerm);
}

/** Tells whether a search term is an amount: `$` and its cents. */
export const isAmount = (term: string): boolean => /^\$\d+$/.test(term);

/** Returns the cents of a term that is an amount. */
export const centsOfTerm = (term: string): number => Number(term.slice(1));

/** Returns the LIKE pattern of a term: anywhere for three characters or more, at the start of a word for fewer, whole for an amount. */
export function likePattern(term: string): string {
  if (term.startsWith("$")) return `% ${escapeLike(term)} %`;
  return term.length < 3 ? `% ${escapeLike(term)}%` : containsPattern(term);
}

/**
 * Returns the relevance between 0 and 1: 1 for the exact title, 0.9 for its start, otherwise 0.3 to 0.8, by the share of terms
 * that start a word of the title or of the entry.
 */
export function relevanceScore(terms: readonly string[], title: string, words: string): number {
  const phrase = terms.join(" ");
  const normalizedTitle = normalizeText(title);
  if (normalizedTitle === phrase) return 1;
  if (normalizedTitle.startsWith(phrase)) return 0.9;
  const titleRatio = terms.filter((term) => ` ${normalizedTitle}`.includes(` ${term}`)).length / terms.length;
  const wordRatio = terms.filter((term) => words.includes(` ${term}`)).length / terms.length;
  return Math.round((0.3 + 0.2 * wordRatio + 0.3 * titleRatio) * 100) / 100;
}

/** Returns the words of the texts that match a term. */
export const highlightedWords = (terms: readonly string[], texts: readonly (string | null)[]): string[] => {
  const matches = texts
    .flatMap((text) => (text ?? "").split(/,?\s+/))
    .filter((word) => word !== "" && terms.some((term) => normalizeText(word).includes(term) || toTerm(word) === term));
  return [...new Set(matches)];
};
