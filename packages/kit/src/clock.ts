/** What time it is, asked in one place so that a test can shift one process's clock. */

export const now = (): Date => new Date();

const formatters = new Map<string, Intl.DateTimeFormat>();

function dayFormat(timezone: string): Intl.DateTimeFormat {
  let format = formatters.get(timezone);
  if (!format) formatters.set(timezone, (format = new Intl.DateTimeFormat("en-CA", { timeZone: timezone, year: "numeric", month: "2-digit", day: "2-digit" })));
  return format;
}

/** The calendar day that a moment falls on in a time zone. */
export const dayOf = (moment: Date | string, timezone: string): string => dayFormat(timezone).format(new Date(moment));

/** The organization's today. */
export const today = (timezone: string): string => dayOf(now(), timezone);

/** Whether the IANA database knows the zone by this name; an offset is no zone, since it knows no summer. */
export function isTimezone(zone: string): boolean {
  if (/^[+-]/.test(zone)) return false;
  try {
    dayFormat(zone);
    return true;
  } catch {
    return false;
  }
}

/** The moment a calendar day begins in a time zone. */
export const startOfDay = (day: string, timezone: string): Date => new Date(Temporal.PlainDate.from(day).toZonedDateTime(timezone).epochMilliseconds);
