/** Schemas of the lease resource and of the terms that create and update it. */
import { z } from "zod";
import { Occupant, OccupantTerms } from "./lease-occupants.ts";
import { body } from "../operation.ts";
import { Cents, DayOfMonth, Id, Instant, NonNegativeCents, PlainDate } from "../values.ts";

export const leaseStatuses = ["draft", "pending", "active", "expired", "terminated", "renewed", "cancelled"] as const;
export const TermType = z.enum(["fixed", "fixed_with_rollover", "month_to_month"]);
export const LeaseKind = z.enum(["residential", "commercial"]);

const LATE_FEE_TYPE_DESCRIPTION =
  "Late fee agreed in the lease: `none`, a `flat` amount, a `percent` of the unpaid balance of the rent charge, or a `daily` amount until paid. " +
  "Late fees are charged automatically on rent that is posted while the terms are in force.";

/** Late-fee terms. */
const lateFee = {
  lateFeeType: z.enum(["none", "flat", "percent", "daily"]).describe(LATE_FEE_TYPE_DESCRIPTION),
  lateFeeAmountCents: NonNegativeCents.nullable().describe("Amount of a `flat` late fee, or amount per day of a `daily` late fee, in cents; null for none."),
  lateFeeGraceDays: z
    .int()
    .min(0)
    .max(365)
    .nullable()
    .describe("Grace period in days after the due date; the late fee is due on the day after it. Null for none."),
  lateFeePercentBps: z.int().min(0).max(10_000).nullable().describe("Rate of a `percent` late fee in basis points: 500 is 5 %. Null for none."),
};

/** Move-in, signing and commencement of the lease. */
const moveInAndSigning = {
  moveInDate: PlainDate.nullable().describe("Day on which the tenants move in; null for the start date."),
  signedAt: Instant.nullable().describe("Time at which the lease was signed; null when not recorded."),
  executedDate: PlainDate.nullable().describe("Day on which the last party signed the lease; null when not recorded."),
  effectiveDate: PlainDate.nullable().describe("Day on which the agreement takes effect, when different from the start date; null when not recorded."),
  rentCommencementDate: PlainDate.nullable().describe("Day on which the obligation to pay rent begins in a commercial lease; null when not recorded."),
  rentCommencementCondition: z
    .enum(["on_start_date", "on_possession", "on_rent_commencement_date", "on_opening", "other"])
    .nullable()
    .describe(
      "Event that begins the obligation to pay rent: the start date, the handover of possession, `rentCommencementDate`, the opening of the business, " +
        "or another condition. Null when not recorded.",
    ),
};

const common = {
  propertyId: Id.describe("Property of the leased unit."),
  unitId: Id.describe("Leased unit. Active and pending leases of a unit cannot overlap."),
  tenantId: Id.describe("Tenant of the lease, who is also its primary occupant."),
  startDate: PlainDate.describe("First day of the lease."),
  termType: TermType.describe(
    "Term of the lease: `fixed` expires after the end date, `fixed_with_rollover` then continues month-to-month, and is charged beyond that date, unless the unit is leased again, " +
      "`month_to_month` runs until terminated.",
  ),
  leaseKind: LeaseKind.describe("Use of the unit under the lease."),
  rentCents: NonNegativeCents.describe("Monthly rent in cents; 0 for a lease without rent."),
  rentChargeDay: DayOfMonth.describe("Day of the month on which rent is due; the last day of the month in shorter months."),
  coTenantsJointlyLiable: z.boolean().describe("Whether each co-tenant is liable for the full balance of the lease."),
  depositRequiredCents: NonNegativeCents.describe("Security deposit agreed in the lease, in cents. Recorded only; no charge is created."),
};
const END_DATE_DESCRIPTION = "Last day of the lease; null for a month-to-month lease without an end.";

export const Lease = z
  .strictObject({
    id: Id.describe("Unique identifier of the lease."),
    organizationId: Id.describe("Organization that manages the lease."),
    propertyId: common.propertyId,
    propertyName: z.string().describe("Name of the property."),
    unitId: common.unitId,
    unitNumber: z.string().nullable().describe("Number of the leased unit; null for a unit without a number."),
    tenantId: common.tenantId,
    tenantName: z.string().describe("Full name of the tenant."),
    status: z
      .enum(leaseStatuses)
      .describe(
        "Status of the lease. `draft` bills nothing; `pending` is activated and waits for its start date; `active` is in force; `expired` passed the end date; " +
          "`terminated` was ended by a termination; `renewed` was replaced by its renewal; `cancelled` was given up before it started.",
      ),
    leaseKind: common.leaseKind,
    termType: common.termType,
    startDate: common.startDate,
    endDate: PlainDate.nullable().describe(END_DATE_DESCRIPTION),
    terminationDate: PlainDate.nullable().describe("Last day of a terminated lease; null unless terminated."),
    ...moveInAndSigning,
    rentCents: common.rentCents,
    rentChargeDay: common.rentChargeDay,
    ...lateFee,
    coTenantsJointlyLiable: common.coTenantsJointlyLiable,
    daysUntilExpiry: z
      .int()
      .nullable()
      .describe("Days from today in the organization's time zone to the end date, negative after the end date; null for a lease without an end date."),
    renewedFromLeaseId: Id.nullable().describe("Lease that this lease renews; null when the lease is not a renewal."),
    renewedToLeaseId: Id.nullable().describe("Renewal of the lease, a draft until activated; null when there is none."),
    noticeGivenOn: PlainDate.nullable().describe("Day on which notice was given; null when no notice is recorded."),
    plannedMoveOutDate: PlainDate.nullable().describe("Planned move-out day according to the notice; null when no notice is recorded."),
    terminationReason: z.string().nullable().describe("Reason for the termination; null when not recorded."),
    isHoldover: z.boolean().describe("Whether the lease passed its end date and continues month-to-month."),
    depositRequiredCents: common.depositRequiredCents,
    depositHeldCents: Cents.nullable().describe("Security deposit received for the lease, in cents; null while the ledger is unavailable."),
    balanceCents: Cents.nullable().describe(
      "Balance of the lease in cents: unpaid charges, including those not due yet, less its unallocated payments; negative for a credit. Null while the ledger is unavailable.",
    ),
    nextRentDueOn: PlainDate.nullable().describe(
      "Due date of the next rent charge that is not posted yet; null when no further rent is scheduled or while the ledger is unavailable.",
    ),
    overduePostedRentCents: Cents.optional().describe(
      "Unpaid balance of posted rent charges that are past their due date, in cents. Absent while the ledger is unavailable.",
    ),
    scheduledBaseRentAsOf: PlainDate.optional().describe("Day to which `scheduledBaseRentCents` applies: today, or the start date of a future lease."),
    scheduledBaseRentCents: Cents.optional().describe(
      "Monthly base rent on `scheduledBaseRentAsOf`, in cents: the current base-rent step of a billing schedule, otherwise `rentCents`.",
    ),
    occupants: z.array(Occupant).describe("Occupants and guarantors of the lease, including released ones, the primary occupant first."),
    createdAt: Instant.describe("Time at which the lease was created."),
    updatedAt: Instant.describe("Time at which the lease was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the lease was deleted; null unless deleted."),
  })
  .meta({ id: "Lease", description: "An agreement to rent one unit, with its term, rent, occupants and status." });
export type Lease = z.output<typeof Lease>;

export const endsOnOrAfterStart = (terms: { startDate: string; endDate?: string | undefined }) => !terms.endDate || terms.endDate >= terms.startDate;
export const endBeforeStartIssue = { path: ["endDate"], params: { code: "before_start" }, message: "endDate cannot be before startDate." };

const { coTenantsJointlyLiable, depositRequiredCents, ...core } = common;
const terms = {
  ...core,
  ...lateFee,
  ...moveInAndSigning,
  coTenantsJointlyLiable,
  depositRequiredCents,
  prorateFirstMonth: z.boolean().describe("Whether the rent of a first month that does not start on the first day of the month is prorated."),
  createRecurringRent: z.boolean().describe("Whether a recurring charge for the rent is created when the lease is activated."),
};

export const LeaseChanges = body({ ...terms, endDate: PlainDate.nullable().describe(END_DATE_DESCRIPTION) }).partial();

export const NewLease = body({
  ...terms,
  endDate: PlainDate.optional().describe("Last day of the lease, not before the start date. Required unless `termType` is `month_to_month`."),
  leaseKind: LeaseKind.default("residential").describe("Use of the unit under the lease. Default `residential`."),
  rentChargeDay: DayOfMonth.default(1).describe("Day of the month on which rent is due; the last day of the month in shorter months. Default 1."),
  ...z.strictObject({ ...lateFee, ...moveInAndSigning }).partial().shape,
  lateFeeType: lateFee.lateFeeType.optional().describe(`${LATE_FEE_TYPE_DESCRIPTION} Default \`none\`.`),
  coTenantsJointlyLiable: coTenantsJointlyLiable.default(true),
  occupants: z
    .array(OccupantTerms)
    .max(50)
    .default([])
    .describe("Occupants and guarantors of the lease. The tenant is added as the primary occupant unless listed. Default only the tenant."),
  depositRequiredCents: NonNegativeCents.optional().describe("Security deposit agreed in the lease, in cents. Recorded only; no charge is created. Default 0."),
  prorateFirstMonth: terms.prorateFirstMonth.default(true),
  createRecurringRent: terms.createRecurringRent.default(true),
  billFrom: PlainDate.optional().describe(
    "First due date that is billed, for a lease taken over from another system: rent due earlier is not charged. Default the start date.",
  ),
  activate: z.boolean().default(false).describe("Whether to activate the lease in the same request. Default `false`: the lease stays a draft."),
})
  .refine(({ endDate, termType }) => endDate ?? termType === "month_to_month", {
    path: ["endDate"],
    params: { code: "required" },
    message: "endDate is required unless the lease is month to month.",
  })
  .refine(endsOnOrAfterStart, endBeforeStartIssue);
