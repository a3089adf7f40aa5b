import { problem, value, type Parsed } from "./parsed.ts";

const MOST_DIGITS = 11;

/** The separators that a number has, told apart: the last one stands before the decimals unless three digits follow it. */
function decimals(text: string): { whole: string; fraction: string } | undefined {
  if (/^\d{1,3}(?:,\d{3})+$/.test(text) || /^\d{1,3}(?:\.\d{3}){2,}$/.test(text)) return { whole: text.replaceAll(/[,.]/g, ""), fraction: "" };
  const match = /^(\d{1,3}(?:,\d{3})+|\d*)\.(\d*)$/.exec(text) ?? /^(\d{1,3}(?:\.\d{3})+|\d+),(\d{1,2})$/.exec(text) ?? /^(\d+)()$/.exec(text);
  return match ? { whole: match[1]!.replaceAll(/[,.]/g, ""), fraction: match[2]! } : undefined;
}

/** Dollars and cents as `1095.00`, whether they were written `$1,095.00`, `(50.00)`, `50.00-` or `1095`; `$ -` is how accountants write zero. */
export function parseMoney(text: string): Parsed {
  const plain = text.replaceAll(/USD|US\$|[$\s]/gi, "").replaceAll(/[−–]/g, "-");
  if (/^-+$/.test(plain) && plain !== text) return value("0.00");
  const [, opened, number = "", closed, after = ""] = /^([-+]?\(|[-+]?)(.*?)(\)?)(-|CR|DR)?$/i.exec(plain) ?? [];
  const isBracketed = opened?.endsWith("(") ?? false;
  const isNegative = isBracketed || opened === "-" || /^(?:-|CR)$/i.test(after);
  const found = isBracketed === (closed === ")") && number !== "" ? decimals(number) : undefined;
  if (!found || (found.whole === "" && found.fraction === "")) return problem(`"${text}" is no amount. Write dollars and cents, such as 1095.00.`);
  const whole = found.whole.replace(/^0+(?=\d)/, "") || "0";
  if (whole.length > MOST_DIGITS) return problem(`"${text}" is more than can be counted here.`);
  if (/[1-9]/.test(found.fraction.slice(2))) return problem(`"${text}" has fractions of a cent. Round it.`);
  const amount = `${whole}.${found.fraction.slice(0, 2).padEnd(2, "0")}`;
  return value(isNegative && /[1-9]/.test(amount) ? `-${amount}` : amount);
}

/** The cents of an amount that was parsed. */
export function centsOf(amount: string): number {
  const [whole, fraction] = amount.replace("-", "").split(".") as [string, string];
  return (amount.startsWith("-") ? -1 : 1) * (Number(whole) * 100 + Number(fraction));
}
