/** What became of the text of a cell: its value as the generic template writes it, or what is wrong with it. */
export type Parsed = { value: string; others?: readonly string[] } | { problem: string };

export const value = (text: string, others?: readonly string[]): Parsed => (others && others.length > 0 ? { value: text, others } : { value: text });
export const problem = (sentence: string): Parsed => ({ problem: sentence });
export const isProblem = (parsed: Parsed): parsed is { problem: string } => "problem" in parsed;

/** What people write where there is nothing; zero is something. */
const NOTHING = /^(?:-+|–|—|n\/?a|n\.a\.|#n\/a|none|null|nil|tbd|tba|\(blank\)|\?)$/i;
/** What nobody sees: marks of direction and soft hyphens. */
const UNSEEN = /[\u00ad\u200e\u200f\u202a-\u202e\u2060]/g;

/** What CSVs, ours too, put before a text that a spreadsheet would take for a formula, and people before a number that is none. */
const GUARD = /^'(?=[=+\-@\t\r＝＋－＠]|[\d$(][\d\s.,:/()$-]*$)/;

/** A cell without blanks around it and without the signs that stand for nothing. */
export function clean(cell: string): string {
  const text = cell
    .replace(GUARD, "")
    .replaceAll(/[\u00a0\u2007\u202f\u200b\ufeff]/g, " ")
    .replaceAll(UNSEEN, "")
    .trim();
  return NOTHING.test(text) ? "" : text;
}
