import { type Parsed, problem, value } from "./parsed.ts";

const MAX_DIGITS = 11;

/**
 * Splits a number into whole and fraction; returns undefined for another format. The last separator is the decimal separator,
 * except for a comma before three digits and for repeated dots, which group thousands.
 */
function splitDecimals(text: string): { whole: string; fraction: string } | undefined {
  if (/^\d{1,3}(?:,\d{3})+$/.test(text) || /^\d{1,3}(?:\.\d{3}){2,}$/.test(text)) return { whole: text.replaceAll(/[,.]/g, ""), fraction: "" };
  const match = /^(\d{1,3}(?:,\d{3})+|\d*)\.(\d*)$/.exec(text) ?? /^(\d{1,3}(?:\.\d{3})+|\d+),(\d{1,2})$/.exec(text) ?? /^(\d+)()$/.exec(text);
  return match ? { whole: match[1]!.replaceAll(/[,.]/g, ""), fraction: match[2]! } : undefined;
}

/** Parses an amount such as `$1,095.00`, `(50.00)`, `50.00-` or `1095` to the format `1095.00`. `$ -` is the accounting format of zero. */
export function parseMoney(text: string): Parsed {
  const plain = text.replaceAll(/USD|US\$|[$\s]/gi, "").replaceAll(/[−–]/g, "-");
  if (/^-+$/.test(plain) && plain !== text) return value("0.00");
  const [, opening, number = "", closing, suffix = ""] = /^([-+]?\(|[-+]?)(.*?)(\)?)(-|CR|DR)?$/i.exec(plain) ?? [];
  const isBracketed = opening?.endsWith("(") ?? false;
  const isNegative = isBracketed || opening === "-" || /^(?:-|CR)$/i.test(suffix);
  const parts = isBracketed === (closing === ")") && number !== "" ? splitDecimals(number) : undefined;
  if (!parts || (parts.whole === "" && parts.fraction === "")) return problem(`"${text}" is not an amount. Use dollars and cents, such as 1095.00.`);
  const whole = parts.whole.replace(/^0+(?=\d)/, "") || "0";
  if (whole.length > MAX_DIGITS) return problem(`"${text}" is too large. At most 11 digits before the decimal point are supported.`);
  if (/[1-9]/.test(parts.fraction.slice(2))) return problem(`"${text}" has fractions of a cent. Round it.`);
  const amount = `${whole}.${parts.fraction.slice(0, 2).padEnd(2, "0")}`;
  return value(isNegative && /[1-9]/.test(amount) ? `-${amount}` : amount);
}

/** Converts a parsed amount to cents. */
export function centsOf(amount: string): number {
  const [whole, fraction] = amount.replace("-", "").split(".") as [string, string];
  return (amount.startsWith("-") ? -1 : 1) * (Number(whole) * 100 + Number(fraction));
}
