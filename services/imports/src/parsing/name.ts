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
  if (parts.length !== 2) return parts.join(", ");
  const first = words(last);
  const suffix = first.length > 1 && SUFFIX.test(first.at(-1)!) ? first.splice(-1) : [];
  return [...first, parts[0], ...suffix].join(" ");
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
  // Hardly anybody is called by one word only: where one stands alone, commas stand inside of names as well.
  const inPairs = parts.length % 2 === 0 && parts.some(isSingle);
  return inPairs ? parts.flatMap((part, at) => (at % 2 === 0 ? [`${part}, ${parts[at + 1]}`] : [])) : parts;
}

const isCompany = (part: string): boolean => COMPANY.test(part.split(/[\s,]+/).at(-1) ?? "");
const isGivenOnly = (part: string): boolean => words(part).length === 1;

/** Who stands between `&` and `and`: people, who may share a last name, or a company that is called so. */
function byAnd(text: string): string[] {
  const parts = text
    .split(/\s+[&+]\s+|\s+and\s+/i)
    .map(tidy)
    .filter(Boolean);
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (parts.length < 2) return parts;
  if (parts.every(isGivenOnly) || (isCompany(last) && !first.includes(",") && !isCompany(first))) return [text];
  const family = parts.find((part) => part.includes(",") && !isCompany(part))?.split(",")[0];
  if (family !== undefined) return parts.map((part) => (isGivenOnly(part) ? `${family}, ${part}` : part));
  return parts.map((part) => (isGivenOnly(part) && !isCompany(last) ? `${part} ${words(last).at(-1)}` : part));
}

/** The people whom one cell names, each as spoken and once: between semicolons, line ends, `&`, `and`, slashes or commas. */
export function splitNames(cell: string): string[] {
  const names = cell
    .split(/[;\n\r|]|(?<!\d|\bc)\//i)
    .flatMap(byAnd)
    .flatMap(byCommas)
    .map(spoken)
    .filter(Boolean);
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}
