/** What names mean wherever they stand in the API, so that every member and parameter of a name is described in the same words. */

const members: Record<string, string> = {
  createdAt: "When it came to be.",
  updatedAt: "When it last changed.",
  deletedAt: "When it was deleted; null while it is there.",
  createdByUserId: "The user who made it; null when no person did.",
  occurredAt: "When it happened.",
  requestedAt: "When it was asked for.",
  startedAt: "When it was begun.",
  completedAt: "When it was done.",
  cancelledAt: "When it was called off.",
  expiresAt: "When it stops to be valid.",
  revokedAt: "When it was taken back.",
  acceptedAt: "When it was accepted.",
  signedAt: "When it was signed.",
  organizationId: "The organization that it belongs to.",
  fullName: "First and last name, as the person writes it.",
  firstName: "Given name.",
  lastName: "Family name.",
  companyName: "The company that the person stands for.",
  contactName: "Whom to ask for.",
  email: "E-mail address.",
  phone: "Phone number; numbers without a country code are of the United States.",
  alternatePhone: "Another phone number.",
  mailingAddress: "Where letters go, on one line.",
  preferredLanguage: "Language tag, such as `en` or `es`.",
  timezone: "IANA name of the time zone.",
  locale: "Language and region, such as `en-US`.",
  slug: "A name for addresses of web pages.",
  streetLine1: "Number and street.",
  streetLine2: "Apartment, suite or floor.",
  city: "City or town.",
  postalCode: "ZIP code, five digits or ZIP+4.",
  unitNumber: "What stands on the door.",
  propertyName: "The name of the property.",
  tenantName: "The name of the tenant.",
  units: "How many units there are, or the units themselves.",
  occupiedUnits: "In how many of them somebody lives.",
  ownerIds: "The owners, as of today.",
  bedrooms: "How many bedrooms.",
  bathrooms: "How many bathrooms, in halves.",
  squareFeet: "Floor space in square feet.",
  floor: "Which floor; below zero is under the ground.",
  amenities: "What comes with it.",
  availableFrom: "The first day it can be let.",
  monthlyRentCents: "Rent a month, in cents.",
  marketRentCents: "What it would fetch today, a month, in cents.",
  rentCents: "Rent a month, in cents.",
  amountCents: "The amount, in cents.",
  balanceCents: "What is left of it, in cents.",
  debitCents: "Debit, in cents.",
  creditCents: "Credit, in cents.",
  actualCents: "What it cost, in cents.",
  lateFeeAmountCents: "The late fee, in cents.",
  lateFeeGraceDays: "Days after the due date before a late fee.",
  lateFeePercentBps: "The late fee in basis points of what is late: 500 is 5 %.",
  nsfFeeCents: "The fee for a payment that was returned, in cents.",
  depositRequiredCents: "The security deposit that is asked for, in cents.",
  startDate: "The first day.",
  endDate: "The last day; null for open-ended.",
  effectiveDate: "The day from which it holds.",
  dueDate: "The day by which it is to be paid.",
  dueOn: "The day by which it is to be done.",
  moveInDate: "The day of moving in.",
  moveOutDate: "The day of moving out.",
  rentChargeDay: "The day of the month on which rent falls due; a month that is shorter has it on its last day.",
  dayOfMonth: "The day of the month; a month that is shorter has it on its last day.",
  defaultDueDay: "The day of the month on which the fee usually falls due.",
  scheduledStart: "When the work is to begin.",
  scheduledEnd: "When the work is to be over.",
  w9ReceivedOn: "When the form W-9 arrived.",
  licenseExpiresOn: "When the license runs out.",
  include1099: "Whether an information return (form 1099) is filed.",
  paymentTermsDays: "Days from an invoice to its payment.",
  holdPayouts: "Whether payouts are held back.",
  status: "Where it stands.",
  kind: "Which kind it is.",
  role: "What the person may do, or is here.",
  isActive: "Whether it is in use.",
  isPrimary: "Whether this is the one who answers first.",
  visibility: "Who sees it besides the office.",
  priority: "How urgent it is.",
  category: "What it is about.",
  source: "Where it came from.",
  title: "What it is called, in a line.",
  name: "What it is called.",
  label: "What it is called on bills.",
  description: "More about it.",
  body: "The text.",
  notes: "What else is to be known.",
  memo: "What it is for.",
  reason: "Why.",
  entityType: "The type of what it is about.",
  entityId: "The id of what it is about.",
  channels: "How it is sent.",
  channel: "How it was sent.",
  inviteLink: "The link that opens the invite.",
  shortInviteLink: "The same link, short enough for a text message.",
  emailDelivery: "What became of the e-mail; null when none was asked for.",
  smsDelivery: "What became of the text message; null when none was asked for.",
  accessToken: "Sent as `Authorization: Bearer …`.",
  tokenType: "Always `Bearer`.",
  expiresIn: "Seconds until the access token ends.",
  page: "Which page, counted from 1.",
  pageSize: "How many rows are on a page.",
  total: "How many rows there are in all.",
  totalPages: "How many pages there are, at least 1.",
};

const parameters: Record<string, string> = {
  ...members,
  search: "Text that is looked for, whatever its case.",
  sortBy: "What the rows are sorted by; rows that are alike in it by id.",
  sortDirection: "Ascending or descending.",
  createdAfter: "From this day on, by the organization's calendar.",
  createdBefore: "Up to and with this day, by the organization's calendar.",
  dueAfter: "Due on this day or later.",
  dueBefore: "Due on this day or earlier.",
  startAfter: "Starting on this day or later.",
  startBefore: "Starting on this day or earlier.",
  endAfter: "Ending on this day or later.",
  endBefore: "Ending on this day or earlier.",
  occurredAfter: "On this day or later.",
  occurredBefore: "On this day or earlier.",
  receivedAfter: "Received on this day or later.",
  receivedBefore: "Received on this day or earlier.",
  propertyId: "Only what belongs to this property.",
  unitId: "Only what belongs to this unit.",
  leaseId: "Only what belongs to this lease.",
  tenantId: "Only what concerns this tenant.",
  ownerId: "Only what concerns this owner.",
  vendorId: "Only what concerns this vendor.",
  status: "Only what stands so.",
  asOf: "As it stood at the end of this day; today by default.",
};

export const tags: Record<string, string> = {
  Auth: "Signing up, signing in, and everything about one's own account.",
  Accounts: "The organization, its users, its service keys and its audit log.",
  Properties: "Buildings, who owns them, and what is in them.",
  Units: "What is let: apartments, offices, parking spaces.",
  "Unit fee templates": "Fees that new leases of a unit usually carry.",
  Leases: "Agreements from draft to end, and who lives under them.",
  Tenants: "Who rents.",
  "Tenant invites": "Tenants' ways into their portal.",
  Owners: "Whom properties belong to.",
  "Owner invites": "Owners' ways into their portal.",
  Vendors: "Who does work on properties.",
  "Vendor invites": "Vendors' ways into their portal.",
  "Work orders": "Work on properties: what is to be done, by whom, for how much.",
  Notes: "What people write about things, and who may read it.",
  Documents: "Files about things, and who may read them.",
  Search: "Finding anything by what it is called.",
  Accounting: "The chart of accounts, the journal and the trial balance.",
  Charges: "What tenants owe.",
  "Recurring charges": "Rules that charge leases month by month.",
  Payments: "Money received, and what it was applied to.",
  Notifications: "What a user should know of.",
  Development: "What helps to develop against Freehold; not there in production.",
  "Import bundles": "Moving in from another system.",
  System: "How the system is, and what happens in it.",
};

interface Schema {
  description?: string;
  $ref?: string;
  properties?: Record<string, Schema>;
}
interface Parameter {
  name: string;
  description?: string;
  schema?: Schema;
}

function describeMembers(value: unknown): void {
  if (value === null || typeof value !== "object") return;
  for (const [name, schema] of Object.entries((value as Schema).properties ?? {}))
    if (!schema.$ref && members[name] !== undefined) schema.description ??= members[name];
  for (const each of Object.values(value)) describeMembers(each);
}

/** Describes whatever a document leaves without a description and the glossary knows. */
export function addDescriptions(document: Record<string, unknown>): void {
  describeMembers(document["components"]);
  describeMembers(document["paths"]);
  const operations = Object.values(document["paths"] as Record<string, Record<string, { parameters?: Parameter[] }>>).flatMap((item) => Object.values(item));
  for (const parameter of operations.flatMap((operation) => operation.parameters ?? [])) {
    const known = parameter.schema?.description ?? parameters[parameter.name];
    if (known !== undefined) parameter.description ??= known;
  }
}
