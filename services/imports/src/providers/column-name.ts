/** Comparison of column names as people write them: with other words, abbreviations, punctuation, units and plurals. */
import { normalizeForMatching } from "../parsing/text.ts";

/** Phrases and their normal form, replaced before single words. */
const PHRASES: readonly [RegExp, string][] = [
  [/\bsq(?:uare)? ?(?:ft|foot|feet|footage)\b|\bs ?f\b|\bsqft\b/g, "area"],
  [/\be mails?\b/g, "email"],
  [/\bmo(?:nth)? to mo(?:nth)?\b/g, "monthtomonth"],
  [/\bper mo(?:nth)?\b|\bmonthly\b|\bmo\b/g, "month"],
  [/\bmove in\b|\bmoved in\b/g, "movein"],
  [/\bpost(?:al)? ?codes?\b|\bzip codes?\b|\bzips?\b/g, "zip"],
  [/\b(?:cell|mobile) ?phones?\b|\bmobiles?\b|\bcells?\b/g, "mobile phone"],
  [/\bco tenants?\b|\bcotenants?\b/g, "cotenant"],
  [/\bas of\b/g, "asof"],
  [/\bdate of birth\b|\bbirth ?dates?\b|\bbirthdays?\b|\bdob\b/g, "birthdate"],
];
/** Normal form of each word, from its synonyms. */
const WORDS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    number: "no num nbr nr numbers nos",
    unit: "apt apts apartment apartments flat units",
    building: "bldg bldgs buildings",
    address: "addr addresses",
    amount: "amt amounts",
    deposit: "dep deposits",
    security: "sec",
    phone: "tel telephone telephones phones",
    bed: "br bd bdrm bdrms bedroom bedrooms beds",
    bath: "ba bathroom bathrooms baths",
    management: "mgmt managed",
    payment: "pmt pymt payments",
    charge: "chg chgs charges",
    insurance: "ins",
    expiration: "exp expires expiry expire expiring expirations",
    tenant: "resident renter lessee leaseholder occupant",
    tenants: "residents renters lessees leaseholders occupants",
    owner: "landlord landlords owners",
    vendor: "contractor contractors supplier suppliers vendors",
    start: "starts begin begins beginning commencement commence commences commencing started",
    end: "ends ending ended",
    received: "rcvd recd receipt",
    balance: "bal balances",
    check: "cheque chk checks",
    percent: "percentage pct",
    first: "fname given forename",
    last: "lname surname family",
    account: "acct accounts",
    estimated: "est",
    reference: "ref",
  }).flatMap(([word, others]) => others.split(" ").map((other) => [other, word])),
);
const IGNORED_WORDS = new Set(["of", "the", "a", "an", "usd", "us", "dollar", "dollars", "for", "or", "and", "y", "n"]);
const KEPT_PLURALS = new Set(["tenants", "names"]);

function singular(word: string): string {
  if (KEPT_PLURALS.has(word) || word.length < 4 || /(?:ss|us|is)$/.test(word)) return word;
  return word.replace(/ies$/, "y").replace(/s$/, "");
}

/**
 * Returns the words of a column name in a normal form and in alphabetical order: `Unit #`, `Apt No.` and `UnitNumber` are the same, as are
 * `Rent / Month` and `Monthly rent`. A name of several people, such as `Tenants`, differs from that of one.
 */
export function columnNameKey(name: string): string {
  const spaced = name
    .replaceAll(/\((?:usd|us\$|\$|mm?\/dd?\/yy+|y\/n|yes\/no|required|optional|if any)\)/gi, " ")
    .replaceAll("(s)", "s")
    .replaceAll("#", " number ")
    .replaceAll("%", " percent ")
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, " ");
  let text = normalizeForMatching(spaced);
  for (const [pattern, word] of PHRASES) text = text.replaceAll(pattern, word);
  const words = text.split(" ").flatMap((word) => (IGNORED_WORDS.has(word) ? [] : [WORDS[word] ?? singular(word)]));
  return [...new Set(words)].toSorted().join(" ");
}
