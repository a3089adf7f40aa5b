/** Fields of the generic template: their parsers, the aliases of their values, and the required fields of each entity type. */
import { chargeTypes } from "@freehold/contract/identity/accounts";
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import { paymentMethods } from "@freehold/contract/ledger/payments";
import { workOrderPriorities, workOrderStatuses } from "@freehold/contract/maintenance/work-orders";
import { expenseCategories } from "@freehold/contract/payables/expenses";
import { parsePostalCode, parsePropertyName, parseState } from "../parsing/address.ts";
import { parseEmails, parsePhones } from "../parsing/contact.ts";
import { parseBirthDate, parseDate, parseEndDate } from "../parsing/date.ts";
import { parseDateTime } from "../parsing/date-time.ts";
import { parseMoney } from "../parsing/money.ts";
import { parseName } from "../parsing/name.ts";
import { parseBathrooms, parseBedrooms, parseDecimal, parseInteger, parsePercent } from "../parsing/number.ts";
import { isProblem, isSpreadsheetError, type Parsed, problem, value } from "../parsing/parsed.ts";
import { type Choices, parseChoice, parseFlag } from "../parsing/text.ts";

type Parser = (text: string) => Parsed;

const multilineText =
  (maxLength: number): Parser =>
  (text) =>
    text.length > maxLength ? problem(`The text has ${text.length} characters. At most ${maxLength} are supported.`) : value(text);
const singleLine =
  (maxLength: number): Parser =>
  (text) =>
    multilineText(maxLength)(text.replaceAll(/\s+/g, " "));
/** Limits a number to a range; the expectation completes the sentence `"…" is not …`. */
const inRange =
  (parser: Parser, min: number, max: number, expectation: string): Parser =>
  (text) => {
    const parsed = parser(text);
    return isProblem(parsed) || (Number(parsed.value) >= min && Number(parsed.value) <= max) ? parsed : problem(`"${text}" is not ${expectation}.`);
  };
const dayOfMonth = inRange(parseInteger, 1, 31, "a day of a month");
const nonNegativeAmount = inRange(parseMoney, 0, Number.MAX_SAFE_INTEGER, "an amount of at least 0.00");
const positiveAmount = inRange(parseMoney, 0.01, Number.MAX_SAFE_INTEGER, "an amount above zero");
const personName: Parser = (text) => (text.length > 160 ? multilineText(160)(text) : parseName(text));

const parsers: Record<string, Parser> = {
  source_id: singleLine(200),
  name: singleLine(160),
  full_name: personName,
  first_name: singleLine(80),
  last_name: singleLine(80),
  company_name: singleLine(160),
  property_name: parsePropertyName,
  primary_tenant_name: personName,
  tenant_name: personName,
  owner_name: personName,
  unit_number: singleLine(32),
  state: parseState,
  postal_code: parsePostalCode,
  email: parseEmails,
  primary_tenant_email: parseEmails,
  tenant_email: parseEmails,
  phone: parsePhones,
  units: inRange(parseInteger, 1, 100_000, "a number of units from 1 to 100000"),
  bedrooms: parseBedrooms,
  bathrooms: parseBathrooms,
  square_feet: inRange(parseInteger, 1, 100_000_000, "an area in square feet"),
  market_rent: nonNegativeAmount,
  monthly_rent: nonNegativeAmount,
  reserve: nonNegativeAmount,
  rent: nonNegativeAmount,
  late_fee_amount: nonNegativeAmount,
  late_fee_percent: parsePercent,
  late_fee_grace_days: inRange(parseInteger, 0, 365, "a number of days from 0 to 365"),
  rent_charge_day: dayOfMonth,
  day_of_month: dayOfMonth,
  share_percent: inRange(parsePercent, 0.01, 100, "a share above 0"),
  include_1099: parseFlag,
  date_of_birth: parseBirthDate,
  amount_held: nonNegativeAmount,
  balance: parseMoney,
  prepaid: nonNegativeAmount,
  estimate: nonNegativeAmount,
  hours: parseDecimal,
  notes: multilineText(2_000),
  description: multilineText(4_000),
};
/** Maximum lengths of texts by entity type and field, where they differ from those of other types. */
const maxLengths: Readonly<Record<string, number>> = {
  "property.name": 120,
  "property.street_line1": 160,
  "property.street_line2": 160,
  "property.city": 120,
  "expense.description": 2_000,
};
for (const [name, maxLength] of Object.entries({
  trade: 120,
  insurance_provider: 160,
  insurance_policy: 80,
  preferred_language: 32,
  label: 160,
  check_number: 64,
  invoice_number: 80,
  title: 160,
}))
  parsers[name] = singleLine(maxLength);
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
  "completed_date",
])
  parsers[name] = parseDate;
parsers["scheduled_date"] = parseDateTime;
parsers["end_date"] = parseEndDate;
parsers["amount"] = positiveAmount;

const withAliases = (values: readonly string[], aliases: Choices): Choices => Object.fromEntries(values.map((name) => [name, aliases[name] ?? []]));

/** Closed sets of values by entity type and field, with the aliases that other systems use. */
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
    // The tenant of a past or future lease does not live in the unit; one in eviction does.
    vacant: ["vacant*", "no", "available*", "unoccupied", "past*", "former*", "evicted", "future*"],
    occupied: ["current*", "occupied*", "notice*", "evict*", "active", "rented", "leased", "yes"],
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
    pending: ["future*", "vacant rented*"],
    // The next lease of the tenant is a row of its own.
    expired: ["past*", "former*", "evicted", "ended", "renewed"],
    active: ["current*", "notice*", "evict*", "occupied*"],
    terminated: ["terminated*"],
    cancelled: ["canceled"],
  },
  "lease.late_fee_type": { none: ["no late fee*"], flat: ["fixed*"], percent: ["percentage*"], daily: ["per day"] },
  "occupant.role": {
    co_tenant: ["co tenant", "financially responsible", "tenant", "leaseholder"],
    occupant: ["other occupant", "other", "child"],
    guarantor: ["cosigner", "co signer"],
  },
  "recurring_charge.kind": { rent: ["rent*"], fee: ["fee*", "parking*", "pet*", "utilit*", "storage*"] },
  "deposit.holder": { manager: ["management*", "organization", "us", "agent", "property manager"], owner: ["landlord"] },
  "charge.type": withAliases(chargeTypes, {
    rent: ["rent*"],
    late_fee: ["late*"],
    nsf_fee: ["nsf*", "returned*"],
    deposit: ["deposit*", "security deposit*"],
    parking: ["parking*"],
    utility: ["utilit*"],
  }),
  "payment.method": withAliases(paymentMethods, {
    ach: ["eft", "e check", "echeck", "electronic*", "bank transfer"],
    card: ["credit card*", "debit card*", "cc*"],
    check: ["cheque", "check*", "cashier*"],
    money_order: ["money order*", "mo"],
    other: ["*"],
  }),
  "expense.category": withAliases(expenseCategories, {
    maintenance: ["repair*", "maintenance*", "cleaning*", "landscap*", "plumbing*", "supplies"],
    utility: ["utilit*", "water*", "electric*", "gas", "sewer*", "trash*"],
    tax: ["tax*", "property tax*", "real estate tax*"],
    insurance: ["insurance*", "property insurance*"],
    management: ["management*"],
    other: ["misc*", "general*"],
  }),
  "work_order.status": withAliases(workOrderStatuses, {
    open: ["new", "assigned", "waiting*", "estimate*", "requested"],
    in_progress: ["scheduled", "in progress", "work done", "ready to bill"],
    completed: ["completed*", "closed", "done"],
    cancelled: ["canceled"],
  }),
  "work_order.priority": withAliases(workOrderPriorities, { high: ["urgent"], emergency: ["emergency*"] }),
};

/** Charge types with the names of their income accounts as aliases. */
export const chargeTypeChoices: Choices = choices["charge.type"]!;

/** Tells whether a text that otherwise stands for an empty cell is a value of a field: a choice of that name, such as no late fee, or the surname Null. */
export function isPlaceholderValue(entityType: ImportEntityType, field: string, text: string): boolean {
  const fieldChoices = choices[`${entityType}.${field}`];
  return fieldChoices ? Object.hasOwn(fieldChoices, text.toLowerCase()) : field.endsWith("name") && text === "Null";
}

/** Fields that describe people and units: a failed lookup (`#N/A`) of one of them leaves it empty. */
const descriptiveField =
  /^(?:email|tenant_email|primary_tenant_email|phone|date_of_birth|preferred_language|tax_id|tax_id_type|bed_bath|bedrooms|bathrooms|square_feet|unit_type|street_line2|notes|description|check_number|trade|asset_class|website|insurance_.*)$/;

/** Tells whether the error of a spreadsheet in a field is an error of its row: all but a failed lookup of a description. */
export const isErrorOfRow = (field: string, text: string): boolean => isSpreadsheetError(text) && !(/^#n\/a$/i.test(text) && descriptiveField.test(field));

/** Parses the text of a cell to the value of a field. The error of a spreadsheet is no value of any field. */
export function parseField(entityType: ImportEntityType, field: string, text: string): Parsed {
  const parsed = parseText(entityType, field, text);
  if (isProblem(parsed) || !isSpreadsheetError(text)) return parsed;
  return problem(`"${text}" is an error of the spreadsheet. Correct the cell, or clear it if it has no value.`);
}

function parseText(entityType: ImportEntityType, field: string, text: string): Parsed {
  const fieldChoices = choices[`${entityType}.${field}`];
  if (fieldChoices) return parseChoice(text, fieldChoices);
  const maxLength = maxLengths[`${entityType}.${field}`];
  if (maxLength !== undefined) return (field === "description" ? multilineText : singleLine)(maxLength)(text);
  return (parsers[field] ?? singleLine(field.endsWith("source_id") ? 200 : 500))(text);
}

/** Returns the ratio of sampled values that are valid for a field, or undefined without samples and for free text. */
export function validRatio(entityType: ImportEntityType, field: string, allSamples: readonly string[]): number | undefined {
  const samples = allSamples.filter((text) => !isSpreadsheetError(text));
  if (samples.length === 0 || (!parsers[field] && !choices[`${entityType}.${field}`])) return undefined;
  return samples.filter((text) => !isProblem(parseField(entityType, field, text))).length / samples.length;
}

/** Required fields of each entity type, each as a list of alternatives of which one suffices. */
export const requiredFields: Record<ImportEntityType, readonly (readonly string[])[]> = {
  owner: [["full_name", "company_name", "first_name", "last_name"], ["email"]],
  vendor: [["name"]],
  property: [["name", "street_line1"], ["street_line1"], ["city"], ["state"], ["postal_code"]],
  ownership: [["property_source_id", "property_name"], ["owner_source_id", "owner_name"], ["share_percent"]],
  unit: [["property_source_id", "property_name"], ["unit_number"], ["monthly_rent", "market_rent"]],
  tenant: [["full_name", "first_name", "last_name", "company_name"]],
  lease: [
    ["unit_source_id", "unit_number", "property_name"],
    ["primary_tenant_source_id", "primary_tenant_name", "primary_tenant_email"],
    ["start_date"],
    ["rent"],
  ],
  occupant: [
    ["lease_source_id", "unit_number", "property_name", "unit_source_id"],
    ["tenant_source_id", "tenant_name", "tenant_email"],
  ],
  recurring_charge: [["lease_source_id", "unit_number"], ["label"], ["amount"], ["start_date"]],
  deposit: [["lease_source_id", "unit_number", "unit_source_id"], ["amount_held"]],
  opening_balance: [
    ["lease_source_id", "unit_number", "unit_source_id"],
    ["balance", "prepaid"],
  ],
  charge: [["lease_source_id", "unit_number"], ["date"], ["amount"]],
  payment: [["lease_source_id", "unit_number"], ["received_date"], ["amount"]],
  expense: [["property_source_id", "property_name"], ["date"], ["category", "category_code"], ["amount"]],
  work_order: [["property_source_id", "property_name"], ["title"]],
};
