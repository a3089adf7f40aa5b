import { problem, value, type Parsed } from "./parsed.ts";

const STATES =
  "AL Alabama;AK Alaska;AZ Arizona;AR Arkansas;CA California;CO Colorado;CT Connecticut;DE Delaware;DC District of Columbia;FL Florida;GA Georgia;HI Hawaii;ID Idaho;IL Illinois;IN Indiana;IA Iowa;KS Kansas;KY Kentucky;LA Louisiana;ME Maine;MD Maryland;MA Massachusetts;MI Michigan;MN Minnesota;MS Mississippi;MO Missouri;MT Montana;NE Nebraska;NV Nevada;NH New Hampshire;NJ New Jersey;NM New Mexico;NY New York;NC North Carolina;ND North Dakota;OH Ohio;OK Oklahoma;OR Oregon;PA Pennsylvania;RI Rhode Island;SC South Carolina;SD South Dakota;TN Tennessee;TX Texas;UT Utah;VT Vermont;VA Virginia;WA Washington;WV West Virginia;WI Wisconsin;WY Wyoming;PR Puerto Rico";
const codes = new Map(STATES.split(";").map((each) => [each.slice(3).toLowerCase(), each.slice(0, 2)]));

/** A state's two letters, from them or from its name. */
export function parseState(text: string): Parsed {
  const bare = text.replaceAll(".", "").replace(/^washington,? dc$/i, "DC");
  const code = /^[a-z]{2}$/i.test(bare) ? bare.toUpperCase() : codes.get(bare.toLowerCase());
  return code === undefined ? problem(`"${text}" is no state. Write its two letters.`) : value(code);
}

/** A ZIP code, with the zeros back that a spreadsheet took from its front. */
export function parsePostalCode(text: string): Parsed {
  const match = /^(\d{3,5})(?:\.0+)?(?:[-\s]?(\d{4})|-)?$/.exec(text) ?? /^(\d{5})(\d{4})$/.exec(text);
  return match ? value(`${match[1]!.padStart(5, "0")}${match[2] ? `-${match[2]}` : ""}`) : problem(`"${text}" is no ZIP code: 5 digits or ZIP+4.`);
}

/** The name of a property, without the address that some systems write after it. */
export const parsePropertyName = (text: string): Parsed => value(/^(.{1,120}?)\s+[-–—]\s+\d+\s.*\d{5}/s.exec(text)?.[1] ?? text.replaceAll(/\s+/g, " "));
