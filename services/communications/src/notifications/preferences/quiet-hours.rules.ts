/** Quiet hours and the hour of daily digests, in the time zone of a user. */
import { DIGEST_HOUR } from "@freehold/contract/communications/notification-preferences";

/** Quiet hours as times of day, `HH:MM`, in an IANA time zone. They extend to the next day if they do not end after their start. */
export interface QuietPeriod {
  start: string;
  end: string;
  timeZone: string;
}

const localDay = (instant: Date, timeZone: string): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timeZone).toPlainDate();

/** Returns the instant of a time of day. One that daylight saving time skips is moved behind the gap, and of one that occurs twice the first counts. */
const instantOf = (day: Temporal.PlainDate, time: string, timeZone: string): Date =>
  new Date(day.toZonedDateTime({ timeZone, plainTime: Temporal.PlainTime.from(time) }).epochMilliseconds);

/** Returns the end of the quiet hours that contain an instant, or null outside of them. Their end itself is not quiet. */
export function quietUntil({ start, end, timeZone }: QuietPeriod, instant: Date): Date | null {
  const today = localDay(instant, timeZone);
  for (const day of [today.subtract({ days: 1 }), today]) {
    const endsAt = instantOf(end > start ? day : day.add({ days: 1 }), end, timeZone);
    if (instantOf(day, start, timeZone) <= instant && instant < endsAt) return endsAt;
  }
  return null;
}

/** Returns the first time after an instant at which digests are sent in a time zone. */
export function nextDigestAt(instant: Date, timeZone: string): Date {
  const time = `${String(DIGEST_HOUR).padStart(2, "0")}:00`;
  const today = localDay(instant, timeZone);
  const candidate = instantOf(today, time, timeZone);
  return candidate > instant ? candidate : instantOf(today.add({ days: 1 }), time, timeZone);
}
