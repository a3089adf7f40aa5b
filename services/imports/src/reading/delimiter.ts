/** What stands between the cells of a file, found from its first lines. */
export const delimiters = [",", ";", "\t", "|"] as const;
export type Delimiter = (typeof delimiters)[number];

const LINES = 30;
/** A comma that stands in no number. */
const COMMA = /(?<!\d),|,(?!\d)/;

/** The first lines of a text, without what stands in quotes. */
const unquoted = (text: string): string[] =>
  text
    .replaceAll(/"(?:[^"]|"")*"/g, "")
    .split(/\r\n|\n|\r/)
    .slice(0, LINES)
    .filter((line) => line.trim() !== "");

/** The delimiter that most lines have equally often; a comma where there is none. */
export function findDelimiter(head: string): Delimiter {
  const lines = unquoted(head);
  const scored = delimiters.map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter === "," ? COMMA : delimiter).length - 1).filter((count) => count > 0);
    const often = Map.groupBy(counts, (count) => count);
    const [usual = 0, agreeing = 0] = [...often].map(([count, same]) => [count, same.length] as const).toSorted((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [];
    return { delimiter, score: agreeing * Math.min(usual, 10) };
  });
  return scored.reduce((best, each) => (each.score > best.score ? each : best)).delimiter;
}
