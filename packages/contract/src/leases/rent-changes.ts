import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { RecurringChargeRule } from "../ledger/recurring-charges.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { Cents, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, queryInteger } from "../values.ts";

const ProrationLine = z
  .strictObject({
    from: PlainDate.describe("First day of the line."),
    to: PlainDate.describe("Last day of the line."),
    days: z.int().min(1).describe("Number of days of the line, first and last day included, as counted by the method of the proration."),
    daysInPeriod: z
      .int()
      .min(1)
      .describe(
        "Number of days that the rent is divided by: the days of the month, 30 or 365, depending on the method. With `annual_365`, twelve monthly rents are divided.",
      ),
    rentCents: NonNegativeCents.describe("Monthly rent in cents on these days."),
    amountCents: Cents.describe("Prorated rent in cents for these days, rounded half up."),
  })
  .meta({ id: "ProrationLine", description: "Prorated rent for consecutive days of one month with the same monthly rent." });

export const Proration = z
  .strictObject({
    method: z.enum(["actual_days", "thirty_day", "annual_365"]).describe("Proration method, from the policy `prorationMethod` of the organization."),
    days: z.int().min(1).describe("Number of days of all lines together."),
    daysInPeriod: z.int().min(1).describe("Number of days of the months concerned, each month counted once; 365 with `annual_365`."),
    amountCents: Cents.describe("Prorated rent in cents: the sum of the lines."),
    lines: z.array(ProrationLine).describe("One line for each month, and for each rent within a month, in order of date."),
  })
  .meta({ id: "Proration", description: "Rent for a range of dates." });
export type Proration = z.output<typeof Proration>;

export const RentChange = z
  .strictObject({
    id: Id.describe("ID of the rent change."),
    organizationId: Id.describe("ID of the organization the rent change belongs to."),
    leaseId: Id.describe("ID of the lease whose rent changes."),
    effectiveDate: PlainDate.describe("First day of the new rent."),
    rentCents: NonNegativeCents.describe("New monthly rent in cents."),
    previousRentCents: NonNegativeCents.describe("Monthly rent in cents up to the day before `effectiveDate`."),
    noticeSentOn: PlainDate.nullable().describe("Date on which notice of the change was sent to the tenant, or null."),
    createdAt: Instant.describe("Time at which the rent change was recorded."),
    updatedAt: Instant.describe("Time at which the rent change was last updated."),
    deletedAt: Instant.nullable().describe("Time at which the rent change was withdrawn. Null for a rent change in effect or scheduled."),
  })
  .meta({ id: "RentChange", description: "Change of the monthly rent during a lease." });
export type RentChange = z.output<typeof RentChange>;

const rentChangeResponse = {
  rentChange: RentChange,
  recurringChargeRules: z.array(RecurringChargeRule).describe("Recurring charge rules of the lease after the change."),
};

export const rentChanges = operationGroup("Leases", "portfolio", {
  getLeaseProration: {
    method: "GET",
    path: "/api/leases/{id}/proration",
    summary: "prorate the rent of a lease",
    access: officeRoles,
    description:
      "Computes the rent for a range of dates of at most ten years, without posting anything. The method is the organization's policy: `actual_days` divides by the days of the month, `thirty_day` by 30, `annual_365` divides twelve rents by 365; a whole month always costs the whole rent. Each line is rounded once, half up, like a charge. Returns 503 while the ledger is unavailable.",
    query: z
      .strictObject({
        from: PlainDate.describe("First day of the range."),
        to: PlainDate.describe("Last day of the range, at most ten years after `from`."),
        rentCents: queryInteger(0).optional().describe("Monthly rent in cents to prorate. Default: the rent of the lease on each day, including rent changes."),
      })
      .refine(({ from, to }) => to >= from, { path: ["to"], params: { code: "before_start" }, message: "to cannot be before from." }),
    response: { proration: Proration },
  },
  listRentChanges: {
    method: "GET",
    path: "/api/leases/{id}/rent-changes",
    summary: "list the rent changes of a lease",
    access: adminsAndManagers,
    description: "Withdrawn rent changes are returned only with `includeDeleted`.",
    query: listQuery(["effectiveDate", "createdAt"], {}),
    response: page("rentChanges", RentChange),
  },
  createRentChange: {
    method: "POST",
    path: "/api/leases/{id}/rent-changes",
    summary: "change the rent of leases",
    access: adminsAndManagers,
    description:
      "Changes the rent of an active lease from a date after its first day. The rent rule of the lease is split at that date: the old rule charges through the day before and has the status `ended` afterwards, a new rule charges from the date on; a month with both rents is prorated. A lease may have several changes, at most one for each date (409 `duplicate`). Returns 409 `resource_in_use` when rent is already charged for the date: choose a later date, or void that charge first. A change that has begun cannot be deleted: once the charges under it are voided, another change for the same date replaces it. The rent of a lease without `createRecurringRent` whose rent is charged by recurring charges of the kind `rent` is changed by these: change their amounts first, since a change to another rent than their sum on the date returns 409 `resource_in_use`. `rentCents` of the lease changes on the effective date.",
    body: body({
      effectiveDate: PlainDate.describe("First day of the new rent: after the first day of the lease, and not after its last day."),
      rentCents: NonNegativeCents.describe("New monthly rent in cents."),
      noticeSentOn: PlainDate.optional().describe("Date on which notice of the change was sent to the tenant; not after `effectiveDate`."),
    }).refine(({ effectiveDate, noticeSentOn }) => noticeSentOn === undefined || noticeSentOn <= effectiveDate, {
      path: ["noticeSentOn"],
      params: { code: "max" },
      message: "noticeSentOn cannot be after effectiveDate.",
    }),
    response: rentChangeResponse,
    errors: [409],
    idempotent: true,
  },
  deleteRentChange: {
    method: "DELETE",
    path: "/api/lease-rent-changes/{id}",
    summary: "withdraw rent changes",
    access: adminsAndManagers,
    description:
      "Withdraws a change whose effective date is in the future; the previous rent continues. Returns 409 `resource_in_use` when rent is already charged for the effective date.",
    response: rentChangeResponse,
    errors: [409],
  },
});
