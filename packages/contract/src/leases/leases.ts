import { z } from "zod";
import { Charge } from "../ledger/charges.ts";
import { endBeforeStartIssue, endsOnOrAfterStart, Lease, LeaseChanges, LeaseKind, leaseStatuses, NewLease, TermType } from "./lease.schema.ts";
import { Note } from "../overview/notes.ts";
import { operationGroup, body } from "../operation.ts";
import { ParkingRight } from "./parking-rights.ts";
import { RecurringChargeRule } from "../ledger/recurring-charges.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { Id, NonNegativeCents, PlainDate, QueryBoolean, Search, csvEnum, listQuery, page, queryInteger, text, textList } from "../values.ts";

export { Lease, leaseStatuses } from "./lease.schema.ts";

const leaseWithRecurringCharges = (leaseDescription: string) => ({
  lease: Lease.describe(leaseDescription),
  notes: z.array(Note).describe("Notes about the lease, newest first, at most 100."),
  recurringChargeRules: z.array(RecurringChargeRule).describe("Recurring charges of the lease, oldest first."),
});

export const leases = operationGroup("Leases", "portfolio", {
  listLeases: {
    method: "GET",
    path: "/api/leases",
    summary: "list leases",
    access: officeRoles,
    query: listQuery(["startDate", "endDate", "tenantName", "propertyName", "unitNumber", "rentCents", "status", "daysUntilExpiry", "createdAt"], {
      search: Search.optional().describe("Case-insensitive text to find in the names of the tenants and the property and in the unit number."),
      propertyId: Id.optional().describe("Only leases of this property."),
      unitId: Id.optional().describe("Only leases of this unit."),
      tenantId: Id.optional().describe("Only leases that list this tenant in any role: primary, co-tenant, occupant or guarantor."),
      ownerId: Id.optional().describe("Only leases of properties that this owner owns today."),
      status: csvEnum(leaseStatuses).optional().describe("Statuses of the lease, repeated or comma-separated."),
      leaseKind: textList(LeaseKind).optional().describe("Kinds of the leases, repeated or comma-separated."),
      termType: textList(TermType).optional().describe("Term types of the leases, repeated or comma-separated."),
      startAfter: PlainDate.optional().describe("Only leases that start on or after this day."),
      startBefore: PlainDate.optional().describe("Only leases that start on or before this day."),
      endAfter: PlainDate.optional().describe("Only leases with an end date on or after this day."),
      endBefore: PlainDate.optional().describe("Only leases with an end date on or before this day."),
      expiringWithinDays: queryInteger(0, 3650)
        .optional()
        .describe(
          "Only active leases for a fixed term, also with rollover, whose end date is within this many days from today and that have no activated renewal, as on the dashboard.",
        ),
      hasBalance: QueryBoolean.optional().describe(
        "`true` for leases whose unpaid charges exceed their unallocated payments, `false` for the others. Returns 503 while the ledger is unavailable.",
      ),
    }),
    response: page("leases", Lease),
  },
  createLease: {
    method: "POST",
    path: "/api/leases",
    summary: "create leases",
    access: adminsAndManagers,
    description:
      "Creates a draft lease with the tenant as primary occupant, together with the `occupants` given. With `activate`, the draft is activated in the same request.",
    body: NewLease,
    response: leaseWithRecurringCharges("Created lease."),
    errors: [409],
    idempotent: true,
  },
  updateLease: {
    method: "PATCH",
    path: "/api/leases/{id}",
    summary: "change leases",
    access: adminsAndManagers,
    description:
      "Changes the given members of a draft, pending or active lease; the resulting lease must be consistent. `rentCents`, `startDate`, `propertyId`, `unitId` " +
      "and `tenantId` of an active lease, or of a pending lease with posted charges or payments, return 409 `resource_in_use`, and so does `prorateFirstMonth` " +
      "of such a pending lease; record a rent change to change the rent. An open security deposit that holds nothing follows the property, unit and tenant of a lease that has not started; one with a charge, a payment " +
      "or another transaction keeps them until this is voided or reversed. A renewal keeps its property, unit and tenant, and a lease whose renewal is activated keeps its `endDate` and `termType`. A new `tenantId` " +
      "makes that tenant the primary occupant; other occupants have operations of their own. `prorateFirstMonth` and `createRecurringRent` have no effect " +
      "after the lease has started.",
    body: LeaseChanges,
    response: { lease: Lease.describe("Lease after the change.") },
    errors: [409],
  },
  deleteLease: {
    method: "DELETE",
    path: "/api/leases/{id}",
    summary: "delete leases",
    access: adminsAndManagers,
    description:
      "Soft-deletes a lease. Returns 409 `resource_in_use` when the lease has charges or payments, even voided or reversed ones, a security deposit with transactions, or a renewal, " +
      "or has replaced the lease that it renews.",
    response: { lease: Lease.describe("Deleted lease, with `deletedAt` set.") },
    errors: [409],
  },
  getLease: {
    method: "GET",
    path: "/api/leases/{id}",
    summary: "read a lease",
    access: officeRoles,
    response: {
      ...leaseWithRecurringCharges("Requested lease."),
      recurringChargeRules: z.array(RecurringChargeRule).describe("Recurring charges of the lease, oldest first; empty while the ledger is unavailable."),
      parkingRights: z.array(ParkingRight).describe("Parking rights of the lease."),
    },
  },
  activateLease: {
    method: "POST",
    path: "/api/leases/{id}/activate",
    summary: "activate leases",
    access: adminsAndManagers,
    description:
      "Moves a draft to `active`, or to `pending` until its start date, and starts its recurring charges. With `chargeProration`, a first month that does not " +
      "start on the first day is prorated by the organization's proration method. Overlapping leases of the unit return 409 `lease_overlap`.",
    body: body({
      activateOn: PlainDate.optional().describe("New start date of the lease, not after its end date. Default the lease's `startDate`."),
      chargeProration: z
        .boolean()
        .default(true)
        .describe("Whether a partial first month is prorated. `false` also turns `prorateFirstMonth` of the lease off. Default `true`."),
    }),
    response: {
      lease: Lease.describe("Activated lease."),
      recurringChargeRules: z.array(RecurringChargeRule).describe("Recurring charges of the lease, oldest first."),
      charges: z.array(Charge).describe("Charges posted by the activation: the prorated rent of a partial first month."),
    },
    errors: [409],
    idempotent: true,
  },
  renewLease: {
    method: "POST",
    path: "/api/leases/{id}/renew",
    summary: "renew leases",
    access: adminsAndManagers,
    description:
      "Creates a draft renewal of an active lease, with the same unit, tenants and terms and with draft recurring charges. " +
      "The active lease stays in force until the renewal is activated and starts.",
    body: body({
      startDate: PlainDate.describe(
        "First day of the renewal, after the start of the renewed lease and, unless that lease is month-to-month, after its last day.",
      ),
      endDate: PlainDate.describe("Last day of the renewal, not before its start date."),
      moveInDate: PlainDate.optional().describe("Move-in date of the renewal and its occupants. Default the dates of the renewed lease."),
      rentCents: NonNegativeCents.optional().describe(
        "Monthly rent of the renewal in cents. Default the rent of the renewed lease on the start date. A rent that is charged by several recurring charges goes on in these parts, unless another rent than their sum is given, which the renewal charges as a whole.",
      ),
      termType: TermType.optional().describe(
        "Term type of the renewal. Default the term type of the renewed lease, or `fixed_with_rollover` when that is in holdover.",
      ),
    }).refine(endsOnOrAfterStart, endBeforeStartIssue),
    response: leaseWithRecurringCharges("Draft renewal."),
    errors: [409],
    idempotent: true,
  },
  terminateLease: {
    method: "POST",
    path: "/api/leases/{id}/terminate",
    summary: "terminate leases",
    access: adminsAndManagers,
    description:
      "Ends an active or expired lease on the termination date, releases its occupants on that day and ends its recurring charges. " +
      "`finalRent` determines the rent of the last month. The days from the end date of the lease to a later termination date are charged " +
      "at its last rent. A draft or pending renewal is cancelled, and what its recurring charges have charged in advance is voided. " +
      "Returns 409 when the renewal has begun, or when other charges or payments were posted on it.",
    body: body({
      terminationDate: PlainDate.describe("Last day of the lease, not before its start date."),
      reason: text(1, 500).optional().describe("Reason for the termination."),
      noticeGivenOn: PlainDate.optional().describe("Day on which notice was given. Default the notice already recorded, if any."),
      finalRent: z
        .enum(["prorate", "full", "none"])
        .default("prorate")
        .describe("Rent of the month of termination: `prorate` up to the termination date, `full` for the whole month, or `none`. Default `prorate`."),
      terminationFeeCents: NonNegativeCents.optional().describe("Termination fee to charge, in cents, due on the termination date. Default 0: no fee."),
    }),
    response: {
      lease: Lease.describe("Terminated lease."),
      charges: z.array(Charge).describe("Charges posted by the termination: the rent of the month of termination and the termination fee."),
      cancelledRenewalId: Id.nullable().describe("ID of the draft or pending renewal that was cancelled with the lease, or null."),
    },
    errors: [409],
    idempotent: true,
  },
  cancelLease: {
    method: "POST",
    path: "/api/leases/{id}/cancel",
    summary: "cancel leases",
    access: adminsAndManagers,
    description:
      "Cancels a draft or pending lease without posted charges, payments or deposit transactions; voided and reversed ones do not count. " +
      "When a renewal is cancelled, the renewed lease continues as before.",
    response: { lease: Lease.describe("Cancelled lease.") },
    errors: [409],
    idempotent: true,
  },
  giveNotice: {
    method: "POST",
    path: "/api/leases/{id}/notice",
    summary: "record notice on a lease",
    access: adminsAndManagers,
    description:
      "Records the notice on an active lease and the planned move-out date. A later notice replaces the earlier notice. " +
      "The lease stays active: terminate the lease to end it.",
    body: body({
      noticeGivenOn: PlainDate.describe("Day on which notice was given."),
      plannedMoveOutDate: PlainDate.describe("Planned move-out day, not before `noticeGivenOn` and not before the start date of the lease."),
    }).refine(({ noticeGivenOn, plannedMoveOutDate }) => plannedMoveOutDate >= noticeGivenOn, {
      path: ["plannedMoveOutDate"],
      params: { code: "before_start" },
      message: "plannedMoveOutDate cannot be before noticeGivenOn.",
    }),
    response: { lease: Lease.describe("Lease with the notice.") },
    errors: [409],
    idempotent: true,
  },
  withdrawNotice: {
    method: "DELETE",
    path: "/api/leases/{id}/notice",
    summary: "withdraw notice on a lease",
    access: adminsAndManagers,
    description: "Removes the notice from an active lease. Returns 409 when no notice is recorded.",
    response: { lease: Lease.describe("Lease without the notice.") },
    errors: [409],
  },
});
