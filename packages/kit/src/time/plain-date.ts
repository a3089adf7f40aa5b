/** Arithmetic on plain dates: `YYYY-MM-DD` strings, which compare in calendar order. */

const plain = Temporal.PlainDate.from;

export const addDays = (date: string, days: number): string => plain(date).add({ days }).toString();
/** Returns the days from one date to another; negative when the second is earlier. */
export const daysBetween = (from: string, to: string): number => plain(from).until(to).days;
export const startOfMonth = (date: string): string => `${date.slice(0, 7)}-01`;
export const daysInMonth = (date: string): number => plain(date).daysInMonth;
export const endOfMonth = (date: string): string => withDayOfMonth(date, 31);

/** Returns the same day some months later, or the last day of a month without that day. */
export const addMonths = (date: string, months: number): string => plain(date).add({ months }).toString();

/** Returns the date with another day of the month, or the last day of a month without that day. */
export const withDayOfMonth = (date: string, day: number): string => plain(date).with({ day }).toString();

/** Returns the first days of the months from one date's month to another's, both included. */
export function monthsBetween(from: string, to: string): string[] {
  const [first, last] = [monthNumber(from), monthNumber(to)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => firstDayOf(first + index));
}

/** Number of the months since January of the year 0. */
const monthNumber = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;
const firstDayOf = (month: number): string => `${String(Math.floor(month / 12)).padStart(4, "0")}-${String((month % 12) + 1).padStart(2, "0")}-01`;

export const minDate = (a: string, b: string): string => (a < b ? a : b);
export const maxDate = (a: string, b: string): string => (a > b ? a : b);
