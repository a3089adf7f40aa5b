/** Plain-date arithmetic on `YYYY-MM-DD` strings, which compare as they sort. */

const parts = (date: string) => date.split("-").map(Number) as [number, number, number];
const utc = (date: string): number => Date.parse(`${date}T00:00:00Z`);
const format = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);
const DAY = 86_400_000;

export const addDays = (date: string, days: number): string => format(utc(date) + days * DAY);
/** Days from one date to another; negative when the second is earlier. */
export const daysBetween = (from: string, to: string): number => Math.round((utc(to) - utc(from)) / DAY);
export const firstOfMonth = (date: string): string => `${date.slice(0, 7)}-01`;
export const daysInMonth = (date: string): number => {
  const [year, month] = parts(date);
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
};
export const lastOfMonth = (date: string): string => `${date.slice(0, 8)}${String(daysInMonth(date)).padStart(2, "0")}`;

/** The same day some months on, or the last day of a month that has no such day. */
export function addMonths(date: string, months: number): string {
  const [year, month, day] = parts(date);
  return dayInMonth(format(Date.UTC(year, month - 1 + months, 1)), day);
}

/** A day of the month that a date lies in, or that month's last day: the 31st of February is its 28th or 29th. */
export function dayInMonth(date: string, day: number): string {
  return `${date.slice(0, 8)}${String(Math.min(day, daysInMonth(date))).padStart(2, "0")}`;
}

/** The first days of the months from one date's to another's, both included. */
export function monthsBetween(from: string, to: string): string[] {
  const months: string[] = [];
  for (let month = firstOfMonth(from); month <= to; month = addMonths(month, 1)) months.push(month);
  return months;
}

export const earlier = (a: string, b: string): string => (a < b ? a : b);
export const later = (a: string, b: string): string => (a > b ? a : b);
