/** Rules of receipts: their numbers, and how they show amounts, dates and names. */

/** Returns the number of a receipt: the day of the receipt of the money and the end of the payment's id. */
export const receiptNumber = (receivedOn: string, paymentId: string): string => `R-${receivedOn.replaceAll("-", "")}-${paymentId.slice(-8).toUpperCase()}`;

/** Returns cents as dollars: `$1,234.50`, or `-$1,234.50` for a negative amount. Exact for every safe integer. */
export function dollars(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, "0");
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${cents < 0 ? "-" : ""}$${whole}.${digits.slice(-2)}`;
}

/** Returns a date as `MM/DD/YYYY`. */
export const usDate = (date: string): string => `${date.slice(5, 7)}/${date.slice(8)}/${date.slice(0, 4)}`;

/** Returns a text in the characters of the standard fonts of PDF, Latin-1; others lose their accents or become `?`. */
export const printable = (text: string): string => text.normalize("NFC").replaceAll(/[^\x20-\x7e\xa0-\xff]/gu, toLatin);

function toLatin(character: string): string {
  const plain = character.normalize("NFKD").replaceAll(/\p{Mark}/gu, "");
  return /^[\x20-\x7e\xa0-\xff]+$/.test(plain) ? plain : "?";
}
