import { z } from "zod";
import { Charge } from "./charges.ts";
import { Occupant, OccupantTerms } from "./lease-occupants.ts";
import { Note } from "./notes.ts";
import { area, body } from "./operation.ts";
import { ParkingRight } from "./parking-rights.ts";
import { RecurringChargeRule } from "./recurring-charges.ts";
import { managers, office } from "./roles.ts";
import { anyOf, Cents, DayOfMonth, Flag, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, PositiveCents, Search, text, whole } from "./values.ts";

export const leaseStatuses = ["draft", "pending", "active", "expired", "terminated", "renewed", "cancelled"] as const;
const TermType = z.enum(["fixed", "fixed_with_rollover", "month_to_month"]);
const LeaseKind = z.enum(["residential", "commercial"]);
const lateFee = {
  lateFeeType: z.enum(["none", "flat", "percent", "daily"]),
  lateFeeAmountCents: NonNegativeCents.nullable(),
  lateFeeGraceDays: z.int().min(0).max(365).nullable(),
  lateFeePercentBps: z.int().min(0).max(10_000).nullable(),
};

/** What the two sides signed, beyond the rent. */
const signing = {
  moveInDate: PlainDate.nullable(),
  signedAt: Instant.nullable(),
  executedDate: PlainDate.nullable(),
  effectiveDate: PlainDate.nullable(),
  rentCommencementDate: PlainDate.nullable(),
  rentCommencementCondition: z.enum(["on_start_date", "on_possession", "on_rent_commencement_date", "on_opening", "other"]).nullable(),
};

export const Lease = z
  .strictObject({
    id: Id,
    organizationId: Id,
    propertyId: Id,
    propertyName: z.string(),
    unitId: Id,
    unitNumber: z.string().nullable(),
    tenantId: Id,
    tenantName: z.string(),
    status: z.enum(leaseStatuses),
    leaseKind: LeaseKind,
    termType: TermType,
    startDate: PlainDate,
    endDate: PlainDate.nullable(),
    terminationDate: PlainDate.nullable(),
    ...signing,
    rentCents: NonNegativeCents,
    rentChargeDay: DayOfMonth,
    ...lateFee,
    coTenantsJointlyLiable: z.boolean(),
    daysUntilExpiry: z
      .int()
      .nullable()
      .meta({ description: "Days from the organization's today to the end date; negative after it; null when the lease has no end." }),
    renewedFromLeaseId: Id.nullable(),
    renewedToLeaseId: Id.nullable(),
    noticeGivenOn: PlainDate.nullable(),
    plannedMoveOutDate: PlainDate.nullable(),
    terminationReason: z.string().nullable(),
    isHoldover: z.boolean(),
    depositRequiredCents: NonNegativeCents,
    depositHeldCents: Cents.nullable().meta({ description: "Null while the ledger does not answer, as the two below." }),
    balanceCents: Cents.nullable(),
    nextRentDueOn: PlainDate.nullable(),
    overduePostedRentCents: Cents.optional(),
    scheduledBaseRentAsOf: PlainDate.optional(),
    scheduledBaseRentCents: Cents.optional().meta({
      description: "Base rent a month on `scheduledBaseRentAsOf`, in cents: by the step of base rent of a billing schedule, or else the lease's rent.",
    }),
    occupants: z.array(Occupant),
    createdAt: Instant,
    updatedAt: Instant,
    deletedAt: Instant.nullable(),
  })
  .meta({ id: "Lease", description: "The agreement about one unit." });
export type Lease = z.output<typeof Lease>;

const endNotBeforeStart = (terms: { startDate: string; endDate?: string | undefined }) => !terms.endDate || terms.endDate >= terms.startDate;
const endFirst = { path: ["endDate"], params: { code: "before_start" }, message: "endDate cannot be before startDate." };

const terms = {
  propertyId: Id,
  unitId: Id,
  tenantId: Id,
  startDate: PlainDate,
  termType: TermType,
  leaseKind: LeaseKind,
  rentCents: NonNegativeCents,
  rentChargeDay: DayOfMonth,
  ...lateFee,
  ...signing,
  coTenantsJointlyLiable: z.boolean(),
  depositRequiredCents: NonNegativeCents,
  prorateFirstMonth: z.boolean(),
  createRecurringRent: z.boolean(),
};

const create = body({
  ...terms,
  endDate: PlainDate.optional(),
  leaseKind: LeaseKind.default("residential"),
  rentChargeDay: DayOfMonth.default(1),
  ...z.strictObject({ ...lateFee, ...signing }).partial().shape,
  coTenantsJointlyLiable: z.boolean().default(true),
  occupants: z.array(OccupantTerms).max(50).default([]),
  depositRequiredCents: NonNegativeCents.optional(),
  prorateFirstMonth: z.boolean().default(true),
  createRecurringRent: z.boolean().default(true),
  billFrom: PlainDate.optional().meta({
    description: "Rent that falls due before this day is not charged: it was in another system. Without it the lease is billed from its start.",
  }),
  activate: z.boolean().default(false),
})
  .refine((terms) => terms.endDate ?? terms.termType === "month_to_month", {
    path: ["endDate"],
    params: { code: "required" },
    message: "endDate is required unless the lease is month to month.",
  })
  .refine(endNotBeforeStart, endFirst);

const withRules = { lease: Lease, notes: z.array(Note), recurringChargeRules: z.array(RecurringChargeRule) };

export const leases = area("Leases", "portfolio", {
  listLeases: {
    method: "GET",
    path: "/api/leases",
    summary: "list leases",
    access: office,
    query: listQuery(
      ["startDate", "endDate", "tenantName", "propertyName", "unitNumber", "rentCents", "status", "daysUntilExpiry", "createdAt"],
      {
        search: Search.optional(),
        propertyId: Id.optional(),
        unitId: Id.optional(),
        tenantId: Id.optional(),
        ownerId: Id.optional(),
        status: anyOf(leaseStatuses).optional(),
        leaseKind: LeaseKind.optional(),
        termType: TermType.optional(),
        startAfter: PlainDate.optional(),
        startBefore: PlainDate.optional(),
        endAfter: PlainDate.optional(),
        endBefore: PlainDate.optional(),
        expiringWithinDays: whole(0, 3650).optional(),
        hasBalance: Flag.optional().meta({ description: "Whether the lease owes more than it has credit for. 503 while the ledger does not answer." }),
      },
      "desc",
    ),
    returns: page("leases", Lease),
  },
  createLease: {
    method: "POST",
    path: "/api/leases",
    summary: "create leases",
    access: managers,
    description:
      "Creates a draft. The tenant becomes the primary occupant unless `occupants` says who else lives there. With `activate` the draft is activated in the same call.",
    body: create,
    returns: withRules,
    fails: [409],
    idempotent: true,
  },
  updateLease: {
    method: "PATCH",
    path: "/api/leases/{id}",
    summary: "change leases",
    access: managers,
    description:
      "Changes what is sent of a draft, pending or active lease; the lease as a whole must still hold together. An active lease keeps its `rentCents` (a rent change replaces it), `startDate`, `unitId` and `tenantId`, and so does a pending one on which money was posted: 409 `resource_in_use`. A renewal keeps unit and tenant. Another `tenantId` makes that tenant the primary occupant; other occupants have operations of their own. `prorateFirstMonth` and `createRecurringRent` count until the lease starts.",
    body: body({ ...terms, endDate: PlainDate.nullable() }).partial(),
    returns: { lease: Lease },
    fails: [409],
  },
  deleteLease: {
    method: "DELETE",
    path: "/api/leases/{id}",
    summary: "delete leases",
    access: managers,
    description: "Refused with 409 `resource_in_use` when the lease was ever charged or paid, or when another lease follows it.",
    returns: { lease: Lease },
    fails: [409],
  },
  getLease: {
    method: "GET",
    path: "/api/leases/{id}",
    summary: "read a lease",
    access: office,
    returns: { ...withRules, parkingRights: z.array(ParkingRight) },
  },
  activateLease: {
    method: "POST",
    path: "/api/leases/{id}/activate",
    summary: "activate leases",
    access: managers,
    description:
      "A draft becomes active, or pending until its start date. Its rent rule starts to post; a first month that does not start on day one is prorated by the organization's method when `chargeProration` is true.",
    body: body({ activateOn: PlainDate.optional(), chargeProration: z.boolean().default(true) }),
    returns: { lease: Lease, recurringChargeRules: z.array(RecurringChargeRule), charges: z.array(Charge) },
    fails: [409],
    idempotent: true,
  },
  renewLease: {
    method: "POST",
    path: "/api/leases/{id}/renew",
    summary: "renew leases",
    access: managers,
    description:
      "Answers a new draft that follows the active lease, with draft recurring charges; the active lease goes on until the draft is activated and starts.",
    body: body({
      startDate: PlainDate,
      endDate: PlainDate,
      moveInDate: PlainDate.optional(),
      rentCents: NonNegativeCents.optional(),
      termType: TermType.optional(),
    }).refine(endNotBeforeStart, endFirst),
    returns: withRules,
    fails: [409],
    idempotent: true,
  },
  terminateLease: {
    method: "POST",
    path: "/api/leases/{id}/terminate",
    summary: "terminate leases",
    access: managers,
    description: "Ends the lease on a day and its recurring charges with it. `finalRent` says what the last month costs.",
    body: body({
      terminationDate: PlainDate,
      reason: text(1, 500).optional(),
      noticeGivenOn: PlainDate.optional(),
      finalRent: z.enum(["prorate", "full", "none"]).default("prorate"),
      terminationFeeCents: PositiveCents.optional(),
    }),
    returns: { lease: Lease, charges: z.array(Charge) },
    fails: [409],
    idempotent: true,
  },
  cancelLease: {
    method: "POST",
    path: "/api/leases/{id}/cancel",
    summary: "cancel leases",
    access: managers,
    description:
      "Gives up a draft or pending lease that no money was posted on; voided charges and reversed payments do not count. The lease that a cancelled renewal follows goes on as before.",
    returns: { lease: Lease },
    fails: [409],
    idempotent: true,
  },
  giveNotice: {
    method: "POST",
    path: "/api/leases/{id}/notice",
    summary: "record notice on a lease",
    access: managers,
    description:
      "Records that an active lease was given notice on and when its people mean to move out. Given again, the later one counts. It ends nothing: terminate the lease for that.",
    body: body({ noticeGivenOn: PlainDate, plannedMoveOutDate: PlainDate }).refine(
      ({ noticeGivenOn, plannedMoveOutDate }) => plannedMoveOutDate >= noticeGivenOn,
      { path: ["plannedMoveOutDate"], params: { code: "before_start" }, message: "plannedMoveOutDate cannot be before noticeGivenOn." },
    ),
    returns: { lease: Lease },
    fails: [409],
    idempotent: true,
  },
  withdrawNotice: {
    method: "DELETE",
    path: "/api/leases/{id}/notice",
    summary: "withdraw notice on a lease",
    access: managers,
    returns: { lease: Lease },
    fails: [409],
  },
});
