import { type Parsed, problem, value } from "./parsed.ts";

const MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
const WEEKDAY = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+/i;
const TIME = /[T\s]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[ap]\.?m\.?)?\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?$/i;

/** Pivot year: two-digit years up to it belong to the 2000s, later ones to the 1900s. */
const PIVOT_YEAR = 69;
const MAX_CHARACTERS = 60;
const BIRTH_PIVOT_YEAR = 10;

const fullYear = (year: string, pivotYear: number): number => (year.length === 4 ? Number(year) : Number(year) + (Number(year) <= pivotYear ? 2000 : 1900));
/** Returns the number of the month that starts with the name, or 0. */
const monthNumber = (name: string): number => MONTHS.findIndex((month) => month.startsWith(name.toLowerCase().replace(/^sept$/, "sep"))) + 1;

function dateParts(text: string, pivotYear: number): [year: number, month: number, day: number] | undefined {
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text) ?? /^(\d{4})(\d{2})(\d{2})$/.exec(text);
  if (iso) return [Number(iso[1]), Number(iso[2]), Number(iso[3])];
  const us = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})$/.exec(text);
  if (us) return [fullYear(us[3]!, pivotYear), Number(us[1]), Number(us[2])];
  const monthFirst = /^([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})$/i.exec(text);
  if (monthFirst) return [Number(monthFirst[3]), monthNumber(monthFirst[1]!), Number(monthFirst[2])];
  const dayFirst = /^(\d{1,2})(?:st|nd|rd|th)?[-\s]([a-z]{3,9})\.?,?[-\s]+(\d{4}|\d{2})$/i.exec(text);
  if (dayFirst) return [fullYear(dayFirst[3]!, pivotYear), monthNumber(dayFirst[2]!), Number(dayFirst[1])];
  return undefined;
}

/** Removes the time of day, the weekday and the spaces around separators. */
const removeTimeAndWeekday = (text: string): string =>
  text
    .replace(TIME, "")
    .replace(WEEKDAY, "")
    .replaceAll(/(?<=\d)\s*([-/.])\s*(?=\d)/g, "$1")
    .trim();

/** Parses a date in ISO format, in US order or with the name of a month to `2026-01-31`. A time of day and a weekday are ignored. */
export function parseDate(text: string, pivotYear = PIVOT_YEAR): Parsed {
  if (text.length > MAX_CHARACTERS) return problem(`A date has at most ${MAX_CHARACTERS} characters. Use 2026-01-31, or 01/31/2026 with the month first.`);
  const [year, month, day] = dateParts(removeTimeAndWeekday(text), pivotYear) ?? [0, 0, 0];
  const date = new Date(Date.UTC(year, month - 1, day));
  const isValid = year >= 1900 && year < 2200 && month >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isValid) return problem(`"${text}" is not a date. Use 2026-01-31, or 01/31/2026 with the month first.`);
  return value(date.toISOString().slice(0, 10));
}

const OPEN_ENDED = /^(?:month[\s-]*to[\s-]*month|mtm|m2m|at[\s-]*will|open|present|current|ongoing|indefinite|never)$/i;

/** Parses an end date. Words for a term without an end, such as `month-to-month`, are parsed as an empty value. */
export const parseEndDate = (text: string): Parsed => (OPEN_ENDED.test(text) ? value("") : parseDate(text));

/** Parses a date of birth. Two-digit years above 10 belong to the 1900s. */
export const parseBirthDate = (text: string): Parsed => parseDate(text, BIRTH_PIVOT_YEAR);
