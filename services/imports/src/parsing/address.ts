import { type Parsed, problem, value } from "./parsed.ts";

const STATES =
  "AL Alabama;AK Alaska;AZ Arizona;AR Arkansas;CA California;CO Colorado;CT Connecticut;DE Delaware;DC District of Columbia;FL Florida;GA Georgia;HI Hawaii;ID Idaho;IL Illinois;IN Indiana;IA Iowa;KS Kansas;KY Kentucky;LA Louisiana;ME Maine;MD Maryland;MA Massachusetts;MI Michigan;MN Minnesota;MS Mississippi;MO Missouri;MT Montana;NE Nebraska;NV Nevada;NH New Hampshire;NJ New Jersey;NM New Mexico;NY New York;NC North Carolina;ND North Dakota;OH Ohio;OK Oklahoma;OR Oregon;PA Pennsylvania;RI Rhode Island;SC South Carolina;SD South Dakota;TN Tennessee;TX Texas;UT Utah;VT Vermont;VA Virginia;WA Washington;WV West Virginia;WI Wisconsin;WY Wyoming;PR Puerto Rico";
const codeByName = new Map(STATES.split(";").map((state) => [state.slice(3).toLowerCase(), state.slice(0, 2)]));

/** Parses a state, by its code or its name, to the two-letter code. */
export function parseState(text: string): Parsed {
  const plain = text.replaceAll(".", "").replace(/^washington,? dc$/i, "DC");
  const code = /^[a-z]{2}$/i.test(plain) ? plain.toUpperCase() : codeByName.get(plain.toLowerCase());
  return code === undefined ? problem(`"${text}" is not a state. Use the two-letter code.`) : value(code);
}

/** Parses a ZIP code or ZIP+4 and restores leading zeros that a spreadsheet removed. */
export function parsePostalCode(text: string): Parsed {
  const match = /^(\d{3,5})(?:\.0+)?(?:[-\s]?(\d{4})|-)?$/.exec(text) ?? /^(\d{5})(\d{4})$/.exec(text);
  return match ? value(`${match[1]!.padStart(5, "0")}${match[2] ? `-${match[2]}` : ""}`) : problem(`"${text}" is not a ZIP code. Use 5 digits or ZIP+4.`);
}

/** Parses the name of a property without the address that some systems append to it. */
export const parsePropertyName = (text: string): Parsed => value(/^(.{1,120}?)\s+[-–—]\s+\d+\s.*\d{5}/s.exec(text)?.[1] ?? text.replaceAll(/\s+/g, " "));

const STREET_SUFFIX =
  "(?:st|street|ave?|avenue|rd|road|blvd|boulevard|ln|lane|dr|drive|ct|court|pl|place|way|ter|terrace|cir|circle|hwy|highway|pkwy|parkway|sq|square|loop|trl|trail|row|run|path|plaza|walk|alley|broadway)";
/** Street without a comma before the city: through its last suffix, with a direction and the number of a suite. */
const STREET_AND_CITY = new RegExp(
  `^(\\d.*\\b${STREET_SUFFIX}\\b\\.?(?:\\s+(?:[NS][EW]?|[EW])\\b\\.?)?(?:\\s+(?:#|apt\\.?|unit|suite|ste\\.?)\\s*\\S+)?),?\\s+(\\D+)$`,
  "i",
);
/** Cities whose name starts with `St.`, which is also the abbreviation of a street. */
const SAINT_CITY = /^(.+\s\S+)\s+(st\.?)$/i;
const SAINTS = /^(?:louis|paul|petersburg|charles|cloud|joseph|augustine|george|helens|helena|albans|peters|johns|johnsbury)\b/i;

/** Splits a street from the city after it, or returns undefined when they cannot be told apart. */
function splitStreetAndCity(text: string): { street_line1: string; city: string } | undefined {
  const comma = text.lastIndexOf(",");
  if (comma > 0) return { street_line1: text.slice(0, comma).trim(), city: text.slice(comma + 1).trim() };
  const [, street, city] = STREET_AND_CITY.exec(text) ?? [];
  if (street === undefined || city === undefined) return undefined;
  const [, shorter, saint] = SAINTS.test(city) ? (SAINT_CITY.exec(street) ?? []) : [];
  return shorter === undefined ? { street_line1: street, city } : { street_line1: shorter, city: `${saint} ${city}` };
}

/** Length beyond which a heading is no name and address. Bounds the time of the patterns above. */
const MAX_HEADING_LENGTH = 300;

/** Returns the fields of a property in a heading such as `Maple Court - 12 Maple Street Hartford, CT 06103`, or undefined for another heading. */
export function parsePropertyHeading(text: string): Record<string, string> | undefined {
  if (text.length > MAX_HEADING_LENGTH) return undefined;
  const plain = text.replaceAll(/\s+/g, " ").trim();
  const [, name, address, state, postalCode] = /^(.{1,120}?)\s[-–—]\s(\d.*?),?\s+([A-Za-z]{2}),?\s(\d{5}(?:-\d{4})?)$/.exec(plain) ?? [];
  const parts = address === undefined ? undefined : splitStreetAndCity(address);
  if (!parts || name === undefined || state === undefined || postalCode === undefined || parts.city === "") return undefined;
  return { name, ...parts, state: state.toUpperCase(), postal_code: postalCode };
}
