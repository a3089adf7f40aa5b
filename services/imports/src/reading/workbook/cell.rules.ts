/** Texts of cells, as they are in a CSV file that a person saved from the sheet. */
import { UnreadableFileError } from "../unreadable-file.ts";

/** Maximum number of characters in a cell, that of Excel. A longer text, to which many cells refer, would exhaust the memory. */
const MAX_CELL_CHARACTERS = 32_767;

/** Throws for a text that is longer than a cell may be. */
export function requireCellLength(text: string): void {
  if (text.length > MAX_CELL_CHARACTERS) throw new UnreadableFileError(`A cell has more than ${MAX_CELL_CHARACTERS} characters. Shorten its text.`);
}

/** Display of a number: as a date, as a percentage, or with leading zeros according to a mask such as `00000`. */
export type NumberFormat = "date" | "percent" | { mask: string } | undefined;

const builtInDates = new Set([14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58]);
const builtInPercentages = new Set([9, 10]);

/** Returns the display of numbers by the id of their format and its code, if the workbook defines one. */
export function numberFormatOf(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) return builtInDates.has(id) ? "date" : builtInPercentages.has(id) ? "percent" : undefined;
  const [positive = ""] = code.split(";");
  const symbols = positive.replaceAll(/"[^"]*"|\\.|\[[^\]]*\]|[_*]./g, "");
  if (/^general$/i.test(symbols)) return undefined;
  if (/[yd]/i.test(symbols) || (/m/i.test(symbols) && !/[hs]/i.test(symbols))) return "date";
  if (symbols.includes("%")) return "percent";
  return /^0[0-]*0$/.test(symbols) ? { mask: symbols } : undefined;
}

const DAY_MS = 86_400_000;
/** Days from the first day of the calendar to 1970-01-01, by calendar of the workbook. */
const EPOCH_DAYS = { 1900: 25_569, 1904: 24_107 };
/** The calendar of 1900 has a day 60 that did not exist, 1900-02-29. */
const MISSING_DAY = 60;
const MAX_DAY = 2_958_465;

/** Returns the date of a day number, or undefined for a time of day and for a number that no date has. */
function dateOf(value: number, calendar: 1900 | 1904): string | undefined {
  const day = Math.floor(value);
  if (day < 1 || day > MAX_DAY) return undefined;
  const corrected = calendar === 1900 && day < MISSING_DAY ? day + 1 : day;
  return new Date((corrected - EPOCH_DAYS[calendar]) * DAY_MS).toISOString().slice(0, 10);
}

/** Significant digits of a number in a spreadsheet; further ones are errors of its binary form. */
const DIGITS = 15;
const plain = (value: number): string => String(Number(value.toPrecision(DIGITS)));

function masked(value: number, mask: string): string {
  const digits = plain(value).padStart(mask.replaceAll("-", "").length, "0");
  let rest = digits;
  let text = "";
  for (const symbol of mask.split("").toReversed()) {
    text = symbol === "-" ? `-${text}` : `${rest.at(-1)}${text}`;
    if (symbol !== "-") rest = rest.slice(0, -1);
  }
  return rest + text;
}

/** Returns the text of a number in its format. */
export function numberText(raw: string, format: NumberFormat, calendar: 1900 | 1904): string {
  const value = Number(raw);
  if (raw.trim() === "" || !Number.isFinite(value)) return raw;
  if (format === "date") return dateOf(value, calendar) ?? plain(value);
  if (format === "percent") return `${plain(value * 100)}%`;
  return format && Number.isInteger(value) && value >= 0 ? masked(value, format.mask) : plain(value);
}

/** Replaces the codes of control characters, such as `_x000D_`, by spaces. */
export const decodeText = (text: string): string => text.replaceAll(/_x00[01][0-9A-Fa-f]_/g, " ");

const A = "A".charCodeAt(0);
/** Returns the index from 0 of the column in a reference such as `AB12`, or undefined for another text. */
export function columnIndexOf(reference: string): number | undefined {
  const [, letters] = /^([A-Z]{1,3})\d{1,7}$/.exec(reference) ?? [];
  return letters === undefined ? undefined : letters.split("").reduce((index, letter) => index * 26 + letter.charCodeAt(0) - A + 1, 0) - 1;
}
