/** Dates, amounts, formats and choices of examples. */

/** Amount of members in cents without a value of their own: a month's rent. */
export const AMOUNT_CENTS = 150_000;

/** Day and time of the examples, unless a member has its own. */
export const EXAMPLE_DAY = "2026-06-01";
export const EXAMPLE_TIME = `${EXAMPLE_DAY}T12:00:00.000Z`;

/** Dates by member name, where they differ from the day of the examples. */
const datesByName: Record<string, string> = {
  endDate: "2027-05-31",
  statementEndDate: "2026-06-30",
  closingDate: "2026-06-30",
  managementEndDate: "2027-05-31",
  effectiveEnd: "2027-05-31",
  effectiveTo: "2027-05-31",
  periodEnd: "2026-06-30",
  to: "2026-06-30",
  throughDate: "2026-06-30",
  expiresOn: "2027-05-31",
  licenseExpiresOn: "2027-05-31",
  validUntil: "2026-06-30",
  dueOn: "2026-06-08",
  nextRentDueOn: "2026-07-01",
  terminationDate: "2026-11-30",
  plannedMoveOutDate: "2026-11-30",
  moveOutDate: "2026-11-30",
  dispositionDueOn: "2026-12-14",
  releasedOn: "2026-11-30",
  dateOfBirth: "1990-04-12",
};
const timesByName: Record<string, string> = { scheduledEnd: "2026-06-01T14:00:00.000Z", expiresAt: "2026-06-08T12:00:00.000Z" };

const formats: Record<string, (name: string) => string> = {
  date: (name) => datesByName[name] ?? EXAMPLE_DAY,
  "date-time": (name) => timesByName[name] ?? EXAMPLE_TIME,
  email: () => "ana@example.com",
  uri: () => "https://freehold.example/invites/aW52aXRlLXRva2Vu",
};

/** Returns the value of a string with a format; undefined for formats without an example. */
export const formattedValue = (format: string, name: string): string | undefined => formats[format]?.(name);

/** Values of enums by member name, the first of them that the enum has; without one, its first value. */
export const choicesByName: Record<string, readonly string[]> = {
  status: ["active", "received", "posted", "ready", "approved", "delivered"],
  channel: ["email"],
  paymentMethod: ["check"],
  method: ["check", "actual_days"],
  lateFeeType: ["flat"],
  entityType: ["lease", "tenants"],
  parkingType: ["reserved"],
  payoutMethod: ["ach"],
  portalStatus: ["active"],
  role: ["primary", "manager", "tenant"],
  priority: ["normal"],
  condition: ["good"],
  before: ["good"],
  after: ["damaged"],
  entryPermission: ["granted"],
  reason: ["waive", "entry_error"],
  unitType: ["residential"],
  grantType: ["client_credentials"],
  grant_type: ["client_credentials"],
};

/** Members that are false in an example, because they are true only after an unusual event. */
export const unusualFlags = new Set([
  "isHoldover",
  "isOverdue",
  "partial",
  "worsened",
  "force",
  "dryRun",
  "alreadyPosted",
  "minimumApplied",
  "maximumApplied",
  "isWaived",
  "holdPayouts",
  "current",
]);
