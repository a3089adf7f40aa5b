import { parseDate } from "./date.ts";
import { isProblem, type Parsed, value } from "./parsed.ts";

const TIME_OF_DAY = /[T\s]+(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?\s*(?:([ap])\.?m\.?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/i;

/** Returns the hour of a clock of 12 or 24 hours. */
const hourOf = (hour: number, half: string | undefined): number => (half === undefined ? hour : (hour % 12) + (half.toLowerCase() === "p" ? 12 : 0));

/** Returns the offset of a time in the form `Z` or `+02:00`, and none for a time in the zone of the office. */
const offsetOf = (zone: string | undefined): string => (zone === undefined ? "" : /^(?:Z|UTC)$/i.test(zone) ? "Z" : `${zone.slice(0, 3)}:${zone.slice(-2)}`);

/** Parses a date like `parseDate`, and keeps a time of day: `2026-01-31T10:00`, in the time zone of the office unless it has an offset. Midnight is no time. */
export function parseDateTime(text: string): Parsed {
  const date = parseDate(text);
  const [, hour, minute, half, zone] = TIME_OF_DAY.exec(text.trim()) ?? [];
  if (isProblem(date) || hour === undefined || minute === undefined) return date;
  const hours = hourOf(Number(hour), half);
  const isTime = hours < 24 && Number(minute) < 60 && (hours > 0 || Number(minute) > 0);
  return isTime ? value(`${date.value}T${String(hours).padStart(2, "0")}:${minute}${offsetOf(zone)}`) : date;
}
