/** Amounts and dates as documents for tenants show them. */

/** Returns cents as dollars: `$1,234.50`, or `-$1,234.50` for a negative amount. Exact for every safe integer. */
export function dollars(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, "0");
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${cents < 0 ? "-" : ""}$${whole}.${digits.slice(-2)}`;
}

/** Returns a date as `MM/DD/YYYY`. */
export const usDate = (date: string): string => `${date.slice(5, 7)}/${date.slice(8)}/${date.slice(0, 4)}`;
