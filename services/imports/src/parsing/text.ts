import { type Parsed, problem, value } from "./parsed.ts";

/** Normalizes a text for comparison: lower-case letters and digits without accents, words separated by one space. */
export const normalizeForMatching = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const YES = new Set(["yes", "y", "true", "t", "1", "x", "on", "checked"]);
const NO = new Set(["no", "n", "false", "f", "0", "off", "unchecked"]);

/** Parses a flag to `yes` or `no`. */
export function parseFlag(text: string): Parsed {
  const normalized = normalizeForMatching(text);
  if (YES.has(normalized) || /^[✓✔☑]$/u.test(text)) return value("yes");
  return NO.has(normalized) ? value("no") : problem(`"${text}" is neither yes nor no.`);
}

/** Aliases of each value of a closed set; an alias that ends with `*` is a prefix. */
export type Choices = Readonly<Record<string, readonly string[]>>;

/** Parses a value of a closed set, or one of its aliases. */
export function parseChoice(text: string, choices: Choices): Parsed {
  const normalized = normalizeForMatching(text);
  const matches = (alias: string) => (alias.endsWith("*") ? normalized.startsWith(alias.slice(0, -1)) : alias === normalized);
  const choice = Object.entries(choices).find(([name, aliases]) => normalizeForMatching(name) === normalized || aliases.some(matches))?.[0];
  return choice === undefined ? problem(`"${text}" is not one of: ${Object.keys(choices).join(", ")}.`) : value(choice);
}
