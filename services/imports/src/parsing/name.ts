import { isSpreadsheetError, type Parsed, value } from "./parsed.ts";

const COMPANY_SUFFIX = /^(?:l\.?l\.?c|l\.?l\.?p|l\.?p|p\.?c|inc|corp|corporation|co|company|ltd|limited|trust|trustees?|estate|n\.?a)\.?$/i;
const PERSON_SUFFIX = /^(?:jr|sr|ii|iii|iv|v|esq|m\.?d|ph\.?d)\.?$/i;
/** Longer cells are cut, so that no cell keeps the parser busy. */
const MAX_CHARACTERS = 2_000;
const words = (text: string): string[] => text.split(/\s+/).filter(Boolean);
const collapseSpaces = (text: string): string => words(text).join(" ");

/** Formats `Last, First` as `First Last`; the comma before a company suffix is kept. */
export function formatName(name: string): string {
  const parts = name.split(",").map(collapseSpaces).filter(Boolean);
  const lastPart = parts.at(-1) ?? "";
  if (parts.length < 2 || COMPANY_SUFFIX.test(lastPart)) return parts.join(", ");
  if (PERSON_SUFFIX.test(lastPart)) return `${formatName(parts.slice(0, -1).join(","))} ${lastPart}`;
  if (parts.length !== 2) return parts.join(", ");
  const firstNames = words(lastPart);
  const suffix = firstNames.length > 1 && PERSON_SUFFIX.test(firstNames.at(-1)!) ? firstNames.splice(-1) : [];
  return [...firstNames, parts[0], ...suffix].join(" ");
}

/** Parses the name of a person or a company. */
export const parseName = (text: string): Parsed => value(formatName(text));

const isSuffix = (part: string): boolean => COMPANY_SUFFIX.test(part) || PERSON_SUFFIX.test(part);

/** Splits a list of names at commas, except at the commas inside `Last, First`, the only form of a person's name if `isLastFirst` is set. */
function splitAtCommas(text: string, isLastFirst: boolean): string[] {
  const parts: string[] = [];
  for (const part of text.split(",").map(collapseSpaces).filter(Boolean)) {
    if (isSuffix(part) && parts.length > 0) parts[parts.length - 1] += `, ${part}`;
    else parts.push(part);
  }
  const isSingleWord = (part: string) => words(part.replace(/,.*$/, "")).length === 1;
  if (parts.length === 2 && (isSingleWord(parts[0]!) || isSingleWord(parts[1]!))) return [parts.join(", ")];
  // Full names rarely have a single word, so a single word indicates a list of `Last, First` pairs.
  const isListOfPairs = parts.length % 2 === 0 && (parts.some(isSingleWord) || (isLastFirst && !parts.some(isCompany)));
  return isListOfPairs ? parts.flatMap((part, index) => (index % 2 === 0 ? [`${part}, ${parts[index + 1]}`] : [])) : parts;
}

const isCompany = (part: string): boolean => COMPANY_SUFFIX.test(part.split(/[\s,]+/).at(-1) ?? "");
/** Tells whether a text is `Last, First`, apart from suffixes. Beside `&` it is not a list of two people, who would be joined by a third `&`. */
const isPair = (text: string): boolean =>
  text
    .split(",")
    .map(collapseSpaces)
    .filter((part) => part !== "" && !isSuffix(part)).length === 2;
const isFirstNameOnly = (part: string): boolean => words(part).length === 1;

/** Splits names at `&`, `+` and `and`, except within the name of a company. People may share one last name. */
function splitAtAnd(text: string): string[] {
  const parts = text
    .split(/\s+[&+]\s+|\s+and\s+/i)
    .map(collapseSpaces)
    .filter(Boolean);
  const [firstPart = "", lastPart = ""] = [parts[0], parts.at(-1)];
  if (parts.length < 2) return parts;
  if (parts.every(isFirstNameOnly) || (isCompany(lastPart) && !firstPart.includes(",") && !isCompany(firstPart))) return [text];
  const lastName = parts.find((part) => part.includes(",") && !isCompany(part))?.split(",")[0];
  if (lastName !== undefined) return parts.map((part) => (isFirstNameOnly(part) ? `${lastName}, ${part}` : part));
  return parts.map((part) => (isFirstNameOnly(part) && !isCompany(lastPart) ? `${part} ${words(lastPart).at(-1)}` : part));
}

/**
 * Splits a cell into the formatted names of people, without repetitions. Separators are semicolons, line ends, `&`, `and`, slashes and commas. With
 * `isLastFirst` the names of people are known to be `Last, First`, so a comma between two words and two words is no separator.
 */
export function splitNames(cell: string, isLastFirst = false): string[] {
  if (isSpreadsheetError(cell.trim())) return [cell.trim()];
  const names = cell
    .slice(0, MAX_CHARACTERS)
    .replaceAll(/[^\S\n\r]+/g, " ")
    .split(/[;\n\r|]|(?<!\d|\bc)\//i)
    .flatMap((text) => {
      const parts = splitAtAnd(text);
      const arePairs = parts.length > 1 && parts.every((part) => isCompany(part) || isPair(part));
      return parts.flatMap((part) => splitAtCommas(part, isLastFirst || arePairs));
    })
    .map(formatName)
    .filter(Boolean);
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}
