/** The current time and calendar days in time zones. Everything reads the clock here, so that a test can shift it for one process. */

export const now = (): Date => new Date();

const formatters = new Map<string, Intl.DateTimeFormat>();
/** Names of time zones are accepted in upper and lower case, so there are more of them than zones. */
const MAX_FORMATTERS = 1_000;

function dayFormat(timezone: string): Intl.DateTimeFormat {
  let format = formatters.get(timezone);
  if (!format && formatters.size >= MAX_FORMATTERS) formatters.clear();
  if (!format) formatters.set(timezone, (format = new Intl.DateTimeFormat("en-CA", { timeZone: timezone, year: "numeric", month: "2-digit", day: "2-digit" })));
  return format;
}

/** Returns the calendar day of an instant in a time zone, as `YYYY-MM-DD`. */
export const localDateOf = (instant: Date | string, timezone: string): string => dayFormat(timezone).format(new Date(instant));

/** Returns the current calendar day in a time zone. */
export const today = (timezone: string): string => localDateOf(now(), timezone);

/** Tells whether the IANA database has a time zone of this name. Offsets are refused: they have no daylight saving time. */
export function isTimezone(zone: string): boolean {
  if (/^[+-]/.test(zone)) return false;
  try {
    dayFormat(zone);
    return true;
  } catch {
    return false;
  }
}

/** Returns the instant at which a calendar day begins in a time zone. */
export const startOfDay = (date: string, timezone: string): Date => new Date(Temporal.PlainDate.from(date).toZonedDateTime(timezone).epochMilliseconds);
