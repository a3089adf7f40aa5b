import { problem, value, type Parsed } from "./parsed.ts";

/** What is left of a text when its writing does not matter: small letters and digits, without accents. */
export const normalized = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const YES = new Set(["yes", "y", "true", "t", "1", "x", "on", "checked"]);
const NO = new Set(["no", "n", "false", "f", "0", "off", "unchecked"]);

/** `yes` or `no`. */
export function parseFlag(text: string): Parsed {
  const word = normalized(text);
  if (YES.has(word) || /^[✓✔☑]$/u.test(text)) return value("yes");
  return NO.has(word) ? value("no") : problem(`"${text}" is neither yes nor no.`);
}

/** The words that stand for each value; a word that ends with `*` stands for all that begin with it. */
export type Choices = Readonly<Record<string, readonly string[]>>;

/** One of a closed set of values, or a word that stands for it. */
export function parseChoice(text: string, choices: Choices): Parsed {
  const word = normalized(text);
  const fits = (alias: string) => (alias.endsWith("*") ? word.startsWith(alias.slice(0, -1)) : alias === word);
  const found = Object.entries(choices).find(([each, aliases]) => normalized(each) === word || aliases.some(fits))?.[0];
  return found === undefined ? problem(`"${text}" is none of: ${Object.keys(choices).join(", ")}.`) : value(found);
}
