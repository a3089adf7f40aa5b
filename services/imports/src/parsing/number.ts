import { type Parsed, problem, value } from "./parsed.ts";

/** Words for the number of rooms, by index; a studio has no bedroom. */
const ROOM_COUNT_WORDS = ["studio", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
/** Removes thousands separators and zero decimals. */
const normalizeNumber = (text: string): string => text.replaceAll(/(?<=\d),(?=\d{3}\b)/g, "").replace(/\.0+$/, "");

/** Parses a whole number, with thousands separators, zero decimals and a unit of area permitted. */
export function parseInteger(text: string): Parsed {
  const digits = /^(-?\d{1,9})\s*(?:sq\.?\s*(?:ft|feet)\.?|square\s+feet|sf|ft²|ft2)?$/i.exec(normalizeNumber(text))?.[1];
  return digits === undefined ? problem(`"${text}" is not a whole number.`) : value(String(Number(digits)));
}

/** Parses a number with up to four decimals. */
export function parseDecimal(text: string): Parsed {
  const number = /^-?(?:\d{1,9}(?:\.\d{1,4})?|\.\d{1,4})$/.exec(normalizeNumber(text))?.[0];
  return number === undefined ? problem(`"${text}" is not a number.`) : value(String(Number(number)));
}

/** Returns the number in texts such as `OnePointFiveBath`, `NineBedPlus`, `2 bd`, `1½` and `Studio`. */
function roomCount(text: string): string | undefined {
  const spelled = /^([a-z]+?)(?:point(five))?(?:bed|bath)?(?:room)?s?(?:plus)?$/i.exec(text.replaceAll(/\s/g, ""));
  const whole = spelled ? ROOM_COUNT_WORDS.indexOf(spelled[1]!.toLowerCase().replace("efficiency", "studio")) : -1;
  if (whole >= 0) return `${whole}${spelled?.[2] ? ".5" : ""}`;
  return /^(\d{1,2}(?:\.\d+)?)\s*(?:bd|br|ba|beds?|baths?|bedrooms?|bathrooms?)?\+?$/i.exec(text.replace(/(?<=\d)(?:\s*½|\s+1\/2)/, ".5"))?.[1];
}

/** Parses a number of bedrooms, including `Studio` and the spelled-out values of other systems. */
export function parseBedrooms(text: string): Parsed {
  const count = roomCount(text);
  return count !== undefined && /^\d+(?:\.0+)?$/.test(count) ? value(String(Number(count))) : problem(`"${text}" is not a number of bedrooms.`);
}

/** Parses a number of bathrooms in halves. */
export function parseBathrooms(text: string): Parsed {
  const count = roomCount(text);
  return count !== undefined && Number.isInteger(Number(count) * 2)
    ? value(String(Number(count)))
    : problem(`"${text}" is not a number of bathrooms. Use halves: 1, 1.5, 2.`);
}

/** Parses a percentage from 0 to 100 with up to two decimals, with or without the percent sign. */
export function parsePercent(text: string): Parsed {
  const number = /^(\d{1,3}(?:\.\d+)?|\.\d+)\s*%?$/.exec(text)?.[1];
  if (number === undefined || Number(number) > 100) return problem(`"${text}" is not a percentage from 0 to 100.`);
  return Number.isInteger(Math.round(Number(number) * 1e6) / 1e4) ? value(String(Number(number))) : problem(`"${text}" has more than two decimals.`);
}
