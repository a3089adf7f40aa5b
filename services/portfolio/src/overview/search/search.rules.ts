/** What is looked for, and how well what was found fits. */
import { containsPattern, escapeLike } from "@freehold/kit/like-pattern";

/** As the database keeps words: lower case, without accents. */
export const normalizeText = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

const AMOUNT = /^\$?(\d{1,3}(?:,\d{3})+|\d+)(\.\d{2})?$/;
const PHONE = /^\+?[\d().\s-]{7,}$/;

/** The cents of an amount of money: one with a dollar sign, thousands separators or a fraction; a bare number is none. */
function cents(term: string): number | undefined {
  const [, whole, fraction] = AMOUNT.exec(term) ?? [];
  if (!whole || !(term.startsWith("$") || whole.includes(",") || fraction)) return undefined;
  return Number(whole.replaceAll(",", "")) * 100 + Number(fraction?.slice(1) ?? 0);
}

/** A word as it is looked for: an amount of money as its cents. */
function termOf(word: string): string {
  const amount = cents(word);
  return amount === undefined ? word : `$${amount}`;
}

/** The words of a query: a phone number is one, whatever stands between its digits. */
export function parseTerms(query: string): string[] {
  const trimmed = normalizeText(query).trim();
  const digits = trimmed.replace(/\D/g, "");
  if (PHONE.test(trimmed) && digits.length >= 7) return [digits];
  return trimmed.split(/\s+/).map(termOf);
}

/** Whether a term is an amount of money. */
export const isAmount = (term: string): boolean => /^\$\d+$/.test(term);

/** Where a term may stand: anywhere from three characters on, below at the beginning of a word; an amount as a whole. */
export function likePattern(term: string): string {
  if (term.startsWith("$")) return `% ${escapeLike(term)} %`;
  return term.length < 3 ? `% ${escapeLike(term)}%` : containsPattern(term);
}

/** Between 0 and 1: the title itself, its beginning, words that begin so, words that hold it. */
export function relevanceScore(terms: readonly string[], title: string, words: string): number {
  const asked = terms.join(" ");
  const called = normalizeText(title);
  if (called === asked) return 1;
  if (called.startsWith(asked)) return 0.9;
  const inTitle = terms.filter((term) => ` ${called}`.includes(` ${term}`)).length / terms.length;
  const atStart = terms.filter((term) => words.includes(` ${term}`)).length / terms.length;
  return Math.round((0.3 + 0.2 * atStart + 0.3 * inTitle) * 100) / 100;
}

/** The words of the texts in which a term was found. */
export const highlightedWords = (terms: readonly string[], texts: readonly (string | null)[]): string[] => {
  const found = texts
    .flatMap((text) => (text ?? "").split(/,?\s+/))
    .filter((word) => word !== "" && terms.some((term) => normalizeText(word).includes(term) || termOf(word) === term));
  return [...new Set(found)];
};
