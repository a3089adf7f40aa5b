import { value, type Parsed } from "./parsed.ts";

const COMPANY = /^(?:l\.?l\.?c|l\.?l\.?p|l\.?p|p\.?c|inc|corp|corporation|co|company|ltd|limited|trust|trustees?|estate|n\.?a)\.?$/i;
const SUFFIX = /^(?:jr|sr|ii|iii|iv|v|esq|m\.?d|ph\.?d)\.?$/i;
const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);
const tidy = (text: string): string => words(text).join(" ");

/** A name as it is spoken: `Lovelace, Ada` is Ada Lovelace; a company's comma stays where it is. */
export function spoken(name: string): string {
  const parts = name.split(",").map(tidy).filter(Boolean);
  const last = parts.at(-1) ?? "";
  if (parts.length < 2 || COMPANY.test(last)) return parts.join(", ");
  if (SUFFIX.test(last)) return `${spoken(parts.slice(0, -1).join(","))} ${last}`;
  return parts.length === 2 ? `${parts[1]} ${parts[0]}` : parts.join(", ");
}

/** A person's or a company's name as it is spoken. */
export const parseName = (text: string): Parsed => value(spoken(text));

const isEnding = (part: string): boolean => COMPANY.test(part) || SUFFIX.test(part);

/** Commas between several people, and the one inside `Last, First`, told apart by how many words stand between them. */
function byCommas(text: string): string[] {
  const parts: string[] = [];
  for (const part of text.split(",").map(tidy).filter(Boolean)) {
    if (isEnding(part) && parts.length > 0) parts[parts.length - 1] += `, ${part}`;
    else parts.push(part);
  }
  const isSingle = (part: string) => words(part.replace(/,.*$/, "")).length === 1;
  if (parts.length === 2 && (isSingle(parts[0]!) || isSingle(parts[1]!))) return [parts.join(", ")];
  const inPairs = parts.length % 2 === 0 && parts.every((part, at) => at % 2 === 1 || isSingle(part));
  return inPairs ? parts.flatMap((part, at) => (at % 2 === 0 ? [`${part}, ${parts[at + 1]}`] : [])) : parts;
}

/** The people whom one cell names, each as spoken and once: between semicolons, line ends, `&`, `and`, slashes or commas. */
export function splitNames(cell: string): string[] {
  const names = cell
    .split(/[;\n\r|/]|\s+&\s+|\s+and\s+/i)
    .flatMap(byCommas)
    .map(spoken)
    .filter(Boolean);
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}
