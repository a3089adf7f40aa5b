/** Result of parsing a cell: the value in the format of the generic template with any additional values, or the problem as a sentence. */
export type Parsed = { value: string; others?: readonly string[] } | { problem: string };

export const value = (text: string, others?: readonly string[]): Parsed => (others && others.length > 0 ? { value: text, others } : { value: text });
export const problem = (sentence: string): Parsed => ({ problem: sentence });
export const isProblem = (parsed: Parsed): parsed is { problem: string } => "problem" in parsed;

/** Placeholders for an empty cell; zero is a value. */
const PLACEHOLDER = /^(?:-+|–|—|n\/?a|n\.a\.|#n\/a|none|null|nil|not ?set|tbd|tba|\(blank\)|\?)$/i;
/** Error of a formula, or the signs of a column that is too narrow for its values. */
const SPREADSHEET_ERROR = /^#(?:n\/a|(?:ref|value|div\/0|num|null|spill|calc|field|blocked|connect|busy|unknown|error)!|name\?|getting_data|#{2,})$/i;

/** Tells whether a cell has the error of a spreadsheet in the place of a value. */
export const isSpreadsheetError = (text: string): boolean => SPREADSHEET_ERROR.test(text);

/** Invisible characters: soft hyphens and direction marks. */
const INVISIBLE = /[\u00ad\u200e\u200f\u202a-\u202e\u2060]/g;

/** Apostrophe that CSV exports put before a text that looks like a formula, or that users put before digits to store them as text. */
const FORMULA_GUARD = /^'(?=[=+\-@＝＋－＠;\t\r\n]|[\d$(][\d\s.,:/()$-]*$)/;

/** Returns the text of a cell, trimmed, without invisible characters and formula guard. Placeholders become an empty text, unless `isValue` accepts them. */
export function cleanCell(cell: string, isValue: (placeholder: string) => boolean = () => false): string {
  const text = cell
    .replace(FORMULA_GUARD, "")
    .replaceAll(/[\u00a0\u2007\u202f\u200b\ufeff]/g, " ")
    .replaceAll(INVISIBLE, "")
    .trim();
  return PLACEHOLDER.test(text) && !isValue(text) ? "" : text;
}
