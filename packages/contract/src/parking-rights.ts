import { z } from "zod";
import { area, body } from "./operation.ts";
import { managers, office } from "./roles.ts";
import { Cents, Id, Instant, listQuery, NonNegativeCents, page, PlainDate, text } from "./values.ts";

const RateBasis = z.enum(["fixed", "market", "included", "unknown"]);

const terms = {
  parkingType: z.enum(["unreserved", "reserved", "other"]),
  effectiveStart: PlainDate,
  effectiveEnd: PlainDate.nullable(),
  rateBasis: RateBasis,
  rateFrequency: z.enum(["monthly", "annual"]).nullable(),
  ratePerSpaceCents: NonNegativeCents.nullable().meta({ description: "What a space costs, in cents; only with `rateBasis` `fixed`." }),
  ratioPer1000Sqft: z.number().gt(0).max(9999.99).nullable().meta({ description: "Spaces for each 1000 square feet." }),
  spaceCount: z.int().min(1).max(100_000).nullable(),
  location: text(1, 200).nullable(),
  notes: text(1, 2000).nullable(),
  stallLabels: text(1, 500).nullable().meta({ description: "Stalls that are no units, in free text." }),
  stallUnitIds: z.array(Id).max(200).meta({ description: "Parking-space units at the lease's property." }),
  billingScheduleId: Id.nullable(),
  recurringChargeRuleId: Id.nullable(),
};

export const ParkingRight = z
  .strictObject({
    id: Id,
    organizationId: Id,
    leaseId: Id,
    ...terms,
    stallUnitNumbers: z.array(z.string()).meta({ description: "The unit numbers of `stallUnitIds`, in the same order; empty for a unit without a number." }),
    linkedCharge: z
      .strictObject({ id: Id, kind: z.enum(["billing_schedule", "recurring_charge_rule"]), label: z.string(), currentAmountCents: Cents.nullable() })
      .nullable()
      .meta({
        description:
          "The charge that is linked, and what it charges today. Null when none is, and of a recurring charge rule also while the ledger does not answer.",
      }),
    createdAt: Instant,
    updatedAt: Instant,
    deletedAt: Instant.nullable(),
  })
  .meta({ id: "ParkingRight", description: "The terms of one kind of parking on a lease." });
export type ParkingRight = z.output<typeof ParkingRight>;

const { parkingType, effectiveStart, ...optional } = terms;
const rules =
  "A rate per space goes with fixed pricing alone, at most one charge is linked, and it is one of the same lease. The linked charge itself is never changed.";
const one = { parkingRight: ParkingRight };

export const parkingRights = area("Leases", "portfolio", {
  listParkingRights: {
    method: "GET",
    path: "/api/leases/{leaseId}/parking-rights",
    summary: "list the parking rights of a lease",
    access: office,
    query: listQuery(["effectiveStart", "createdAt"], {}),
    returns: page("parkingRights", ParkingRight),
  },
  createParkingRight: {
    method: "POST",
    path: "/api/leases/{leaseId}/parking-rights",
    summary: "record parking rights",
    access: managers,
    description: `Records the terms of one kind of parking, and nothing else. ${rules}`,
    body: body({ ...z.strictObject(optional).partial().shape, parkingType, effectiveStart, rateBasis: RateBasis.default("unknown") }),
    returns: one,
    idempotent: true,
  },
  getParkingRight: { method: "GET", path: "/api/lease-parking-rights/{id}", summary: "read a parking right", access: office, returns: one },
  updateParkingRight: {
    method: "PATCH",
    path: "/api/lease-parking-rights/{id}",
    summary: "change parking rights",
    access: managers,
    description: `Changes what is sent and nothing else; the whole must still hold together. ${rules}`,
    body: body(terms).partial(),
    returns: one,
  },
  deleteParkingRight: {
    method: "DELETE",
    path: "/api/lease-parking-rights/{id}",
    summary: "delete parking rights",
    access: managers,
    returns: one,
  },
});
