import { z } from "zod";
import { area, body } from "./operation.ts";
import { RecurringChargeRule } from "./recurring-charges.ts";
import { managers, office } from "./roles.ts";
import { Cents, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, whole } from "./values.ts";

const ProrationLine = z
  .strictObject({
    from: PlainDate,
    to: PlainDate,
    days: z.int().min(1).meta({ description: "Days that are counted, both ends included." }),
    daysInPeriod: z.int().min(1).meta({ description: "Days that they are a part of, by the method." }),
    rentCents: NonNegativeCents,
    amountCents: Cents,
  })
  .meta({ id: "ProrationLine", description: "The days of one month at one rent, and what they cost." });

export const Proration = z
  .strictObject({
    method: z.enum(["actual_days", "thirty_day", "annual_365"]).meta({ description: "The organization's `prorationMethod`." }),
    days: z.int().min(1).meta({ description: "Days of all lines together." }),
    daysInPeriod: z.int().min(1).meta({ description: "Days that they are a part of: of each month once, by `annual_365` of the year." }),
    amountCents: Cents,
    lines: z.array(ProrationLine),
  })
  .meta({ id: "Proration", description: "What the rent costs from one day to another." });
export type Proration = z.output<typeof Proration>;

export const RentChange = z
  .strictObject({
    id: Id,
    organizationId: Id,
    leaseId: Id,
    effectiveDate: PlainDate,
    rentCents: NonNegativeCents,
    previousRentCents: NonNegativeCents.meta({ description: "Rent a month up to the day before, in cents." }),
    noticeSentOn: PlainDate.nullable().meta({ description: "The day on which the tenant was told." }),
    createdAt: Instant,
    updatedAt: Instant,
    deletedAt: Instant.nullable(),
  })
  .meta({ id: "RentChange", description: "Another rent on a running lease, from a day on." });
export type RentChange = z.output<typeof RentChange>;

const changed = { rentChange: RentChange, recurringChargeRules: z.array(RecurringChargeRule) };

export const rentChanges = area("Leases", "portfolio", {
  getLeaseProration: {
    method: "GET",
    path: "/api/leases/{id}/proration",
    summary: "prorate the rent of a lease",
    access: office,
    description:
      "Counts both ends. The method is the organization's: `actual_days` of the month, `thirty_day` of 30, `annual_365` of twelve rents over 365; a whole month costs the whole rent. There is a line for each month, and for each rent in it; each is rounded once, half a cent up, as a charge would be, and the amount is their sum. Without `rentCents` each day costs what the lease agrees for it. Nothing is posted. Ten years at most; 503 while the ledger does not answer.",
    query: z
      .strictObject({
        from: PlainDate.meta({ description: "The first day." }),
        to: PlainDate.meta({ description: "The last day." }),
        rentCents: whole(0).optional().meta({ description: "Another rent a month, in cents, instead of the lease's own." }),
      })
      .refine(({ from, to }) => to >= from, { path: ["to"], params: { code: "before_start" }, message: "to cannot be before from." }),
    returns: { proration: Proration },
  },
  listRentChanges: {
    method: "GET",
    path: "/api/leases/{id}/rent-changes",
    summary: "list the rent changes of a lease",
    access: managers,
    description: "Those that were taken back only with `includeDeleted`.",
    query: listQuery(["effectiveDate", "createdAt"], {}),
    returns: page("rentChanges", RentChange),
  },
  createRentChange: {
    method: "POST",
    path: "/api/leases/{id}/rent-changes",
    summary: "change the rent of leases",
    access: managers,
    description:
      "Another rent for an active lease from a day after its first one on. Its rent rule is split at that day: the old rule charges up to the day before and has `ended` once that day has passed, a new one charges from the day on; months that the day falls into are charged by the day. There may be several changes, in any order, one a day (409 `duplicate`). A day that rent is charged for already is refused with 409 `resource_in_use`: choose a later one, or void that charge first. The lease's `rentCents` follows on the day itself.",
    body: body({ effectiveDate: PlainDate, rentCents: NonNegativeCents, noticeSentOn: PlainDate.optional() }).refine(
      ({ effectiveDate, noticeSentOn }) => noticeSentOn === undefined || noticeSentOn <= effectiveDate,
      { path: ["noticeSentOn"], params: { code: "max" }, message: "noticeSentOn cannot be after effectiveDate: notice comes first." },
    ),
    returns: changed,
    fails: [409],
    idempotent: true,
  },
  deleteRentChange: {
    method: "DELETE",
    path: "/api/lease-rent-changes/{id}",
    summary: "take back rent changes",
    access: managers,
    description:
      "Takes back a change whose day has not come; the rent before it goes on. Refused with 409 `resource_in_use` when rent is charged for that day already.",
    returns: changed,
    fails: [409],
  },
});
