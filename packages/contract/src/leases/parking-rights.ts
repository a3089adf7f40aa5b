import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { Cents, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, text } from "../values.ts";

export const RateBasis = z.enum(["fixed", "market", "included", "unknown"]);

const RATE_BASIS_DESCRIPTION =
  "Pricing of the spaces: `fixed` rate, `market` rate, `included` in the rent, or `unknown`. `ratePerSpaceCents` is permitted only with `fixed`.";
const terms = {
  parkingType: z.enum(["unreserved", "reserved", "other"]).describe("Type of parking. `reserved` grants specific stalls, `unreserved` any free stall."),
  effectiveStart: PlainDate.describe("First day of the parking right."),
  effectiveEnd: PlainDate.nullable().describe("Last day of the parking right, not before `effectiveStart`. Null for no end."),
  rateBasis: RateBasis.describe(RATE_BASIS_DESCRIPTION),
  rateFrequency: z.enum(["monthly", "annual"]).nullable().describe("Period that `ratePerSpaceCents` applies to. Null when it is not agreed."),
  ratePerSpaceCents: NonNegativeCents.nullable().describe("Rate for one space in cents. Null unless `rateBasis` is `fixed`."),
  ratioPer1000Sqft: z
    .number()
    .gt(0)
    .max(9999.99)
    .nullable()
    .describe("Number of spaces for each 1,000 square feet of leased area, at most 9999.99. Null when it is not agreed."),
  spaceCount: z.int().min(1).max(100_000).nullable().describe("Number of spaces. Null when it is not agreed."),
  location: text(1, 200).nullable().describe("Location of the spaces, such as a garage level, or null."),
  notes: text(1, 2000).nullable().describe("Notes about the parking right, or null."),
  stallLabels: text(1, 500).nullable().describe("Labels of stalls that are not recorded as units, in free text, or null."),
  stallUnitIds: z.array(Id).max(200).describe("IDs of the units of type `parking_space` at the property of the lease, each named once and at most 200."),
  billingScheduleId: Id.nullable().describe(
    "ID of the linked billing schedule of the same lease. Null when none is linked, and when `recurringChargeRuleId` is set.",
  ),
  recurringChargeRuleId: Id.nullable().describe(
    "ID of the linked recurring charge rule of the same lease. Null when none is linked, and when `billingScheduleId` is set.",
  ),
};

export const ParkingRight = z
  .strictObject({
    id: Id.describe("ID of the parking right."),
    organizationId: Id.describe("ID of the organization the parking right belongs to."),
    leaseId: Id.describe("ID of the lease."),
    ...terms,
    stallUnitNumbers: z.array(z.string()).describe("Unit numbers of `stallUnitIds`, in the same order; an empty string for a unit without a number."),
    linkedCharge: z
      .strictObject({
        id: Id.describe("ID of the billing schedule or recurring charge rule."),
        kind: z.enum(["billing_schedule", "recurring_charge_rule"]).describe("Type of the linked resource."),
        label: z.string().describe("Name of the linked resource."),
        currentAmountCents: Cents.nullable().describe("Amount in cents charged by the linked resource today. Null when nothing is charged today."),
      })
      .nullable()
      .describe("Linked charge with its current amount. Null when none is linked; for a recurring charge rule also while the ledger is unavailable."),
    createdAt: Instant.describe("Time at which the parking right was recorded."),
    updatedAt: Instant.describe("Time at which the parking right was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the parking right was deleted. Null for a parking right that was not deleted."),
  })
  .meta({ id: "ParkingRight", description: "Terms of one kind of parking granted by a lease." });
export type ParkingRight = z.output<typeof ParkingRight>;

const { parkingType, effectiveStart, ...optional } = terms;
const rules = "`ratePerSpaceCents` requires fixed pricing. At most one charge of the same lease can be linked; the linked charge itself is never changed.";
const parkingRightResponse = { parkingRight: ParkingRight };

export const parkingRights = operationGroup("Leases", "portfolio", {
  listParkingRights: {
    method: "GET",
    path: "/api/leases/{leaseId}/parking-rights",
    summary: "list the parking rights of a lease",
    access: officeRoles,
    query: listQuery(["effectiveStart", "createdAt"], {}),
    response: page("parkingRights", ParkingRight),
  },
  createParkingRight: {
    method: "POST",
    path: "/api/leases/{leaseId}/parking-rights",
    summary: "record parking rights",
    access: adminsAndManagers,
    description: `Records the terms of one kind of parking without charging them. ${rules}`,
    body: body({
      ...z.strictObject(optional).partial().shape,
      parkingType,
      effectiveStart,
      rateBasis: RateBasis.default("unknown").describe(RATE_BASIS_DESCRIPTION),
    }),
    response: parkingRightResponse,
    idempotent: true,
  },
  getParkingRight: {
    method: "GET",
    path: "/api/lease-parking-rights/{id}",
    summary: "read a parking right",
    access: officeRoles,
    response: parkingRightResponse,
  },
  updateParkingRight: {
    method: "PATCH",
    path: "/api/lease-parking-rights/{id}",
    summary: "change parking rights",
    access: adminsAndManagers,
    description: `Changes only the members that are sent; the resulting terms are validated as a whole. ${rules}`,
    body: body(terms).partial(),
    response: parkingRightResponse,
  },
  deleteParkingRight: {
    method: "DELETE",
    path: "/api/lease-parking-rights/{id}",
    summary: "delete parking rights",
    access: adminsAndManagers,
    description: "Deletes the terms only; a linked charge continues.",
    response: parkingRightResponse,
  },
});
