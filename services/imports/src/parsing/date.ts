import { problem, value, type Parsed } from "./parsed.ts";

const MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
const WEEKDAY = /^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+/i;
const TIME = /[T\s]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[ap]\.?m\.?)?\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?$/i;

/** Two digits of a year up to this one are of the 2000s. */
const LATEST_SHORT_YEAR = 69;

const fullYear = (year: string, latest: number): number => (year.length === 4 ? Number(year) : Number(year) + (Number(year) <= latest ? 2000 : 1900));
const monthOf = (name: string): number => MONTHS.findIndex((month) => month.startsWith(name.toLowerCase().replace(/^sept$/, "sep"))) + 1;

function partsOf(text: string, latest: number): [year: number, month: number, day: number] | undefined {
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text) ?? /^(\d{4})(\d{2})(\d{2})$/.exec(text);
  if (iso) return [Number(iso[1]), Number(iso[2]), Number(iso[3])];
  const us = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})$/.exec(text);
  if (us) return [fullYear(us[3]!, latest), Number(us[1]), Number(us[2])];
  const named = /^([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})$/i.exec(text);
  if (named) return [Number(named[3]), monthOf(named[1]!), Number(named[2])];
  const dayFirst = /^(\d{1,2})(?:st|nd|rd|th)?[-\s]([a-z]{3,9})\.?,?[-\s]+(\d{4}|\d{2})$/i.exec(text);
  if (dayFirst) return [fullYear(dayFirst[3]!, latest), monthOf(dayFirst[2]!), Number(dayFirst[1])];
  return undefined;
}

const tidy = (text: string): string =>
  text
    .replace(TIME, "")
    .replace(WEEKDAY, "")
    .replaceAll(/(?<=\d)\s*([-/.])\s*(?=\d)/g, "$1")
    .trim();

/** A day as `2026-01-31`, from ISO, from month, day and year as Americans write them, or from a name of a month; a time of day is dropped. */
export function parseDate(text: string, latestShortYear = LATEST_SHORT_YEAR): Parsed {
  const [year, month, day] = partsOf(tidy(text), latestShortYear) ?? [0, 0, 0];
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDay = year >= 1900 && year < 2200 && month >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isDay) return problem(`"${text}" is no date. Write 2026-01-31, or 01/31/2026 with the month first.`);
  return value(date.toISOString().slice(0, 10));
}

const WITHOUT_END = /^(?:month[\s-]*to[\s-]*month|mtm|m2m|at[\s-]*will|open|present|current|ongoing|indefinite|never)$/i;

/** The last day of something, or nothing where the cell says in words that there is none. */
export const parseEnd = (text: string): Parsed => (WITHOUT_END.test(text) ? value("") : parseDate(text));

/** A day of birth: two digits of a year mean one that somebody who rents was born in. */
export const parseBirthDate = (text: string): Parsed => parseDate(text, 10);
