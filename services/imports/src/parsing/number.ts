import { problem, value, type Parsed } from "./parsed.ts";

const WORDS = ["studio", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const bare = (text: string): string => text.replaceAll(/(?<=\d),(?=\d{3}\b)/g, "").replace(/\.0+$/, "");

/** A whole number; thousands may be separated, and so may zeros follow the point. */
export function parseInteger(text: string): Parsed {
  const digits = /^(-?\d{1,9})\s*(?:sq\.?\s*(?:ft|feet)\.?|square\s+feet|sf|ft²|ft2)?$/i.exec(bare(text))?.[1];
  return digits === undefined ? problem(`"${text}" is no whole number.`) : value(String(Number(digits)));
}

/** A number that may have decimals. */
export function parseDecimal(text: string): Parsed {
  const number = /^-?(?:\d{1,9}(?:\.\d{1,4})?|\.\d{1,4})$/.exec(bare(text))?.[0];
  return number === undefined ? problem(`"${text}" is no number.`) : value(String(Number(number)));
}

/** `OnePointFiveBath`, `NineBedPlus`, `2 bd`, `1½`, `Studio`: as many as it says. */
function counted(text: string): string | undefined {
  const spelled = /^([a-z]+?)(?:point(five))?(?:bed|bath)?(?:room)?s?(?:plus)?$/i.exec(text.replaceAll(/\s/g, ""));
  const whole = spelled ? WORDS.indexOf(spelled[1]!.toLowerCase().replace("efficiency", "studio")) : -1;
  if (whole >= 0) return `${whole}${spelled?.[2] ? ".5" : ""}`;
  return /^(\d{1,2}(?:\.\d+)?)\s*(?:bd|br|ba|beds?|baths?|bedrooms?|bathrooms?)?\+?$/i.exec(text.replace(/(?<=\d)(?:\s*½|\s+1\/2)/, ".5"))?.[1];
}

/** How many bedrooms: a number, `Studio`, or the words that other systems have for it. */
export function parseBedrooms(text: string): Parsed {
  const count = counted(text);
  return count !== undefined && /^\d+(?:\.0+)?$/.test(count) ? value(String(Number(count))) : problem(`"${text}" is no number of bedrooms.`);
}

/** How many baths, in halves. */
export function parseBathrooms(text: string): Parsed {
  const count = counted(text);
  return count !== undefined && Number.isInteger(Number(count) * 2)
    ? value(String(Number(count)))
    : problem(`"${text}" is no number of baths. Count in halves: 1, 1.5, 2.`);
}

/** A percentage, with or without its sign, to the hundredth. */
export function parsePercent(text: string): Parsed {
  const number = /^(\d{1,3}(?:\.\d+)?|\.\d+)\s*%?$/.exec(text)?.[1];
  if (number === undefined || Number(number) > 100) return problem(`"${text}" is no percentage from 0 to 100.`);
  return Number.isInteger(Math.round(Number(number) * 1e6) / 1e4) ? value(String(Number(number))) : problem(`"${text}" has more than two decimals.`);
}
