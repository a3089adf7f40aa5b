/** What became of the text of a cell: its value as the generic template writes it, or what is wrong with it. */
export type Parsed = { value: string; others?: readonly string[] } | { problem: string };

export const value = (text: string, others?: readonly string[]): Parsed => (others && others.length > 0 ? { value: text, others } : { value: text });
export const problem = (sentence: string): Parsed => ({ problem: sentence });
export const isProblem = (parsed: Parsed): parsed is { problem: string } => "problem" in parsed;

/** What people write where there is nothing; zero is something. */
const NOTHING = /^(?:-+|–|—|n\/?a|none|null|tbd|\?)$/i;

/** A cell without blanks around it and without the signs that stand for nothing. */
export function clean(cell: string): string {
  const text = cell.replaceAll(/[\u00a0\u2007\u202f\u200b\ufeff]/g, " ").trim();
  return NOTHING.test(text) ? "" : text;
}
