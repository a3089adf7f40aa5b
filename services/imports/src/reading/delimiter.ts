/** Detection of the delimiter between cells from the first lines of a file. */
export const delimiters = [",", ";", "\t", "|"] as const;
export type Delimiter = (typeof delimiters)[number];

const MAX_LINES = 30;
/** Comma that is not within a number. */
const COMMA = /(?<!\d),|,(?!\d)/;

/** Returns the first lines of a text without quoted parts and without blank lines. */
const unquotedLines = (text: string): string[] =>
  text
    .replaceAll(/"(?:[^"]|"")*"/g, "")
    .split(/\r\n|\n|\r/)
    .slice(0, MAX_LINES)
    .filter((line) => line.trim() !== "");

/** Returns the delimiter that occurs most regularly: often, and the same number of times in many lines. Returns a comma when no delimiter occurs. */
export function detectDelimiter(head: string): Delimiter {
  const lines = unquotedLines(head);
  const scored = delimiters.map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter === "," ? COMMA : delimiter).length - 1).filter((count) => count > 0);
    const frequencies = [...Map.groupBy(counts, (count) => count)].map(([count, occurrences]) => [count, occurrences.length] as const);
    const [count = 0, frequency = 0] = frequencies.toSorted((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [];
    return { delimiter, score: frequency * Math.min(count, 10) };
  });
  return scored.reduce((best, candidate) => (candidate.score > best.score ? candidate : best)).delimiter;
}
