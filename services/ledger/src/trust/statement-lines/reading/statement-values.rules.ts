/** Values on bank statements: dates, amounts, currencies and account numbers. */
import type { Cents, PlainDate } from "@freehold/contract/values";
import type { z } from "zod";

const datePattern =
  /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})$|^(?<usMonth>\d{1,2})[/-](?<usDay>\d{1,2})[/-](?<usYear>\d{4}|\d{2})$|^(?<compact>\d{8})$/;

/** Parses a date as `2026-01-31`, `20260131`, `01/31/2026` or `1/31/26`, the month first. Returns undefined for anything else. */
export function parseStatementDate(text: string): z.output<typeof PlainDate> | undefined {
  const groups = datePattern.exec(text)?.groups;
  if (!groups) return undefined;
  const { year, month, day, usYear, usMonth, usDay, compact } = groups;
  if (compact) return validDate(compact.slice(0, 4), compact.slice(4, 6), compact.slice(6));
  return year ? validDate(year, month!, day!) : validDate(usYear!.length === 2 ? `20${usYear}` : usYear!, usMonth!, usDay!);
}

function validDate(year: string, month: string, day: string): string | undefined {
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const isDate = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return isDate && year >= "1900" && year < "2200" ? date.toISOString().slice(0, 10) : undefined;
}

const amountPattern = /^(?<sign>[+-]?)\$?(?<whole>\d{1,3}(?:,\d{3})+|\d*)(?:\.(?<fraction>\d{0,2})0*)?(?<trailing>-?)$/;
const MAX_DIGITS = 13;

/** Parses an amount such as `-1,234.56`, `$12`, `(12.00)` or `12.00-` to cents. Returns undefined for anything else, also for fractions of a cent. */
export function parseStatementAmount(text: string): Cents | undefined {
  const isInParentheses = text.startsWith("(") && text.endsWith(")");
  const groups = amountPattern.exec((isInParentheses ? text.slice(1, -1) : text).replaceAll(/\s/g, ""))?.groups;
  if (!groups) return undefined;
  const { sign, whole = "", fraction = "", trailing } = groups;
  const digits = whole.replaceAll(",", "");
  if ((digits === "" && fraction === "") || digits.length > MAX_DIGITS || (isInParentheses && sign) || (sign && trailing)) return undefined;
  const cents = Number(`${digits}${fraction.padEnd(2, "0")}`);
  return (cents !== 0 && (isInParentheses || sign === "-" || trailing === "-") ? -cents : cents) as Cents;
}

/** Currency of all accounts. */
export const CURRENCY = "USD";

/** Reports whether an account number ends with the last digits of a bank account. Spaces and hyphens do not count. */
export const hasMask = (accountNumber: string, mask: string): boolean => accountNumber.replaceAll(/[\s-]/g, "").endsWith(mask);

/** Returns a text with single spaces, cut to a length. */
export const singleSpaced = (text: string, maxLength: number): string =>
  Array.from(
    text
      .replaceAll(/\s+/g, " ")
      .trim()
      .slice(0, 2 * maxLength),
  )
    .slice(0, maxLength)
    .join("");
