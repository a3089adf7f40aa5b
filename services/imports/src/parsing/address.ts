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
