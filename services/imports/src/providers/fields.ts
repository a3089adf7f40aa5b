/** What each field of the generic template holds: how its text is read, which words it takes, and what an entity cannot do without. */
import { chargeTypes } from "@freehold/contract/accounts";
import type { ImportEntityType } from "@freehold/contract/import-bundles";
import { paymentMethods } from "@freehold/contract/payments";
import { workOrderPriorities, workOrderStatuses } from "@freehold/contract/work-orders";
import { parsePostalCode, parsePropertyName, parseState } from "../parsing/address.ts";
import { parseEmails, parsePhones } from "../parsing/contact.ts";
import { parseBirthDate, parseDate, parseEnd } from "../parsing/date.ts";
import { parseMoney } from "../parsing/money.ts";
import { parseName } from "../parsing/name.ts";
import { parseBathrooms, parseBedrooms, parseDecimal, parseInteger, parsePercent } from "../parsing/number.ts";
import { isProblem, problem, value, type Parsed } from "../parsing/parsed.ts";
import { parseChoice, parseFlag, type Choices } from "../parsing/text.ts";

const plain =
  (most: number) =>
  (text: string): Parsed =>
    text.length > most ? problem(`The text has ${text.length} characters. At most ${most} are kept.`) : value(text);
const line = (most: number) => (text: string) => plain(most)(text.replaceAll(/\s+/g, " "));
const least =
  (parser: (text: string) => Parsed, from: number, to: number, says: string) =>
  (text: string): Parsed => {
    const parsed = parser(text);
    return isProblem(parsed) || (Number(parsed.value) >= from && Number(parsed.value) <= to) ? parsed : problem(`"${text}" is ${says}.`);
  };
const day = least(parseInteger, 1, 31, "no day of a month");
const notNegative = least(parseMoney, 0, Number.MAX_SAFE_INTEGER, "negative");
const positive = least(parseMoney, 0.01, Number.MAX_SAFE_INTEGER, "no amount above zero");
const person = (text: string): Parsed => (text.length > 160 ? plain(160)(text) : parseName(text));

const parsers: Record<string, (text: string) => Parsed> = {
  source_id: line(200),
  name: line(160),
  full_name: person,
  first_name: line(80),
  last_name: line(80),
  company_name: line(160),
  property_name: parsePropertyName,
  primary_tenant_name: person,
  tenant_name: person,
  owner_name: person,
  unit_number: line(32),
  state: parseState,
  postal_code: parsePostalCode,
  email: parseEmails,
  phone: parsePhones,
  units: least(parseInteger, 1, 100_000, "no number of units from 1 to 100000"),
  bedrooms: parseBedrooms,
  bathrooms: parseBathrooms,
  square_feet: least(parseInteger, 1, 100_000_000, "no area"),
  market_rent: notNegative,
  monthly_rent: notNegative,
  reserve: notNegative,
  rent: notNegative,
  late_fee_amount: notNegative,
  late_fee_percent: parsePercent,
  late_fee_grace_days: least(parseInteger, 0, 365, "no number of days from 0 to 365"),
  rent_charge_day: day,
  day_of_month: day,
  share_percent: least(parsePercent, 0.01, 100, "no share"),
  include_1099: parseFlag,
  date_of_birth: parseBirthDate,
  amount_held: notNegative,
  balance: parseMoney,
  prepaid: notNegative,
  estimate: notNegative,
  hours: parseDecimal,
  notes: plain(2_000),
  description: plain(4_000),
};
for (const name of [
  "management_start_date",
  "effective_date",
  "insurance_expires",
  "start_date",
  "move_in_date",
  "received_date",
  "as_of",
  "date",
  "due_date",
  "created_date",
  "scheduled_date",
  "completed_date",
])
  parsers[name] = parseDate;
parsers["end_date"] = parseEnd;
parsers["amount"] = positive;

const same = (values: readonly string[], words: Choices = {}): Choices => Object.fromEntries(values.map((each) => [each, words[each] ?? []]));

/** Closed sets, by entity and field, with the words that other systems have for their values. */
const choices: Record<string, Choices> = {
  "property.asset_class": {
    residential: ["rental", "apartment*", "single family*", "multi family*", "condo*", "townhouse*", "multifamily*", "student*", "hoa", "association*"],
    commercial: ["office", "retail", "industrial", "shopping*", "warehouse", "storage"],
    mixed: ["mixed use"],
  },
  "unit.unit_type": {
    residential: ["apartment*", "condo*", "house", "single family*", "townhouse*", "studio*"],
    commercial: ["office*", "retail*", "industrial*"],
    parking_space: ["parking*", "garage*"],
    storage: ["storage*"],
    other: [],
  },
  "unit.status": {
    occupied: ["current*", "occupied*", "notice*", "evict*", "active", "rented", "yes", "future"],
    vacant: ["vacant*", "no", "available*", "unoccupied"],
    maintenance: ["down*", "offline*", "not rentable", "under*"],
  },
  "owner.tax_id_type": { ssn: ["social security*", "individual"], ein: ["employer*", "company", "fein"] },
  "vendor.tax_id_type": { ssn: [], ein: [] },
  "lease.lease_kind": { residential: [], commercial: [] },
  "lease.term_type": {
    fixed: ["fixed term", "standard"],
    fixed_with_rollover: ["fixedwithrollover", "fixed term with rollover", "rollover"],
    month_to_month: ["atwill", "at will", "mtm", "month to month*", "monthly"],
  },
  "lease.status": {
    draft: ["unsigned"],
    pending: ["future*"],
    active: ["current*", "notice*", "evict*", "occupied*"],
    expired: ["past*", "ended"],
    terminated: ["terminated*", "cancelled"],
  },
  "lease.late_fee_type": { none: ["no late fee*"], flat: ["fixed*"], percent: ["percentage*"], daily: ["per day"] },
  "occupant.role": {
    co_tenant: ["co tenant", "financially responsible", "tenant", "leaseholder"],
    occupant: ["other occupant", "other", "child"],
    guarantor: ["cosigner", "co signer"],
  },
  "recurring_charge.kind": { rent: ["rent*"], fee: ["fee*", "parking*", "pet*", "utilit*", "storage*"] },
  "deposit.holder": { manager: ["management*", "us", "agent"], owner: ["landlord"] },
  "charge.type": same(chargeTypes, {
    rent: ["rent*"],
    late_fee: ["late*"],
    nsf_fee: ["nsf*", "returned*"],
    deposit: ["deposit*", "security deposit*"],
    parking: ["parking*"],
    utility: ["utilit*"],
  }),
  "payment.method": same(paymentMethods, {
    ach: ["eft", "e check", "echeck", "electronic*", "bank transfer"],
    card: ["credit card*", "debit card*", "cc*"],
    check: ["cheque", "check*", "cashier*"],
    money_order: ["money order*", "mo"],
    other: ["*"],
  }),
  "work_order.status": same(workOrderStatuses, {
    open: ["new", "assigned", "waiting*", "estimate*", "requested"],
    in_progress: ["scheduled", "in progress", "work done", "ready to bill"],
    completed: ["completed*", "closed", "done"],
    cancelled: ["canceled"],
  }),
  "work_order.priority": same(workOrderPriorities, { high: ["urgent"], emergency: ["emergency*"] }),
};

/** What kinds of charges there are, and the words that accounts have for them. */
export const chargeKinds: Choices = choices["charge.type"]!;

/** The value of a field from the text of its cell. */
export function parseField(entityType: ImportEntityType, field: string, text: string): Parsed {
  const closed = choices[`${entityType}.${field}`];
  if (closed) return parseChoice(text, closed);
  return (parsers[field] ?? line(field.endsWith("source_id") ? 200 : 500))(text);
}

/** How sure the values of a column say that it is this field: none of them say anything about a text. */
export function fitOf(entityType: ImportEntityType, field: string, samples: readonly string[]): number | undefined {
  if (samples.length === 0 || (!parsers[field] && !choices[`${entityType}.${field}`])) return undefined;
  return samples.filter((text) => !isProblem(parseField(entityType, field, text))).length / samples.length;
}

/** What each entity cannot be made without; of several names in one line one is enough. */
export const needs: Record<ImportEntityType, readonly (readonly string[])[]> = {
  owner: [["full_name", "company_name", "first_name", "last_name"], ["email"]],
  vendor: [["name"]],
  property: [["name"], ["street_line1"], ["city"], ["state"], ["postal_code"]],
  ownership: [["property_source_id", "property_name"], ["owner_source_id", "owner_name"], ["share_percent"]],
  unit: [["property_source_id", "property_name"], ["unit_number"], ["monthly_rent", "market_rent"]],
  tenant: [["full_name", "first_name", "last_name", "company_name"]],
  lease: [["unit_source_id", "unit_number", "property_name"], ["primary_tenant_source_id", "primary_tenant_name"], ["start_date"], ["rent"]],
  occupant: [
    ["lease_source_id", "unit_number", "property_name"],
    ["tenant_source_id", "tenant_name"],
  ],
  recurring_charge: [["lease_source_id", "unit_number"], ["label"], ["amount"], ["start_date"]],
  deposit: [["lease_source_id", "unit_number"], ["amount_held"]],
  opening_balance: [["lease_source_id", "unit_number"], ["as_of"], ["balance"]],
  charge: [["lease_source_id", "unit_number"], ["date"], ["amount"]],
  payment: [["lease_source_id", "unit_number"], ["received_date"], ["amount"]],
  work_order: [["property_source_id", "property_name"], ["title"]],
};
