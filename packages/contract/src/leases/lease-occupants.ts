import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { Id, Instant, listQuery, page, PlainDate, text } from "../values.ts";

export const OccupantRole = z.enum(["primary", "co_tenant", "occupant", "guarantor"]);
const ROLE =
  "Role of the person: `primary` is the tenant of the lease, `co_tenant` another liable tenant, `occupant` a resident who is not liable, " +
  "`guarantor` a person who is liable without living in the unit.";

export const Occupant = z
  .strictObject({
    id: Id.describe("Unique identifier of the occupant."),
    tenantId: Id.nullable().describe("Tenant record of the occupant; null for an occupant who is recorded by name only."),
    tenantName: z.string().nullable().describe("Full name in the tenant record; null without a tenant record."),
    fullName: z.string().describe("Full name of the occupant as recorded on the lease. A name that is that of the tenant record changes with it."),
    isPrimary: z.boolean().describe("Whether the occupant is the primary occupant, who is always the tenant of the lease."),
    role: OccupantRole.describe(ROLE),
    providerRole: z.string().nullable().describe("Role of the occupant as named in the system that the lease was imported from; null when not recorded."),
    relationship: z.string().nullable().describe("Relationship to the primary occupant, in free text; null when not recorded."),
    notes: z.string().nullable().describe("Internal remarks about the occupant; null when there are none."),
    moveInDate: PlainDate.nullable().describe("Day on which the occupant moves in; null for the start date of the lease."),
    moveOutDate: PlainDate.nullable().describe("Day on which the occupant moves out; null when not recorded."),
    releasedOn: PlainDate.nullable().describe("Day from which the occupant is released from the lease; null until released."),
    removedAt: Instant.nullable().describe("Time at which the occupant was removed from the lease as an error; null unless removed."),
  })
  .meta({ id: "Occupant", description: "A person on a lease: a tenant, another resident or a guarantor." });
export type Occupant = z.output<typeof Occupant>;

const occupantFields = {
  tenantId: Id.optional().describe("Tenant record of the occupant. `tenantId` or `fullName` is required; a tenant appears on a lease at most once."),
  fullName: text(1, 160).optional().describe("Full name of the occupant on the lease. Default the name in the tenant record."),
  role: OccupantRole.describe(ROLE),
  isPrimary: z.boolean().optional().describe("Whether the occupant is the primary occupant; must agree with `role`. Default derived from `role`."),
  moveInDate: PlainDate.optional().describe("Day on which the occupant moves in. Default the move-in date of the lease, or its start date."),
};
const isNamed = ({ tenantId, fullName }: { tenantId?: string | undefined; fullName?: string | undefined }) => tenantId ?? fullName;
const missingNameIssue = { path: ["fullName"], params: { code: "required" }, message: "Give an occupant a tenantId or a fullName." };

/** Occupant of a new lease. */
export const OccupantTerms = body(occupantFields).refine(isNamed, missingNameIssue);

/** Optional details of an occupant. */
const particulars = {
  providerRole: text(1, 160).nullable().describe("Role of the occupant as named in another system, in free text; null for none."),
  relationship: text(1, 120).nullable().describe("Relationship to the primary occupant, in free text; null for none."),
  notes: text(1, 2000).nullable().describe("Internal remarks about the occupant; null for none."),
};

const primaryOccupantConflict = "The primary occupant of a pending or active lease returns 409 `resource_in_use`.";

export const leaseOccupants = operationGroup("Leases", "portfolio", {
  listOccupants: {
    method: "GET",
    path: "/api/leases/{leaseId}/occupants",
    summary: "list the occupants of a lease",
    access: officeRoles,
    description: "Released occupants are included; removed occupants only with `includeDeleted`.",
    query: listQuery(["fullName", "createdAt"], {}),
    response: page("occupants", Occupant),
  },
  createOccupant: {
    method: "POST",
    path: "/api/leases/{leaseId}/occupants",
    summary: "add occupants to leases",
    access: adminsAndManagers,
    description: "Adds an occupant or guarantor to a draft, pending or active lease. The role `primary` is reserved for the tenant of the lease.",
    body: body({
      ...occupantFields,
      moveInDate: PlainDate.optional().describe("Day on which the occupant moves in. Default today, or the move-in date of the lease when that is later."),
      ...z.strictObject(particulars).partial().shape,
    }).refine(isNamed, missingNameIssue),
    response: { occupant: Occupant.describe("Added occupant.") },
    errors: [409],
    idempotent: true,
  },
  updateOccupant: {
    method: "PATCH",
    path: "/api/lease-occupants/{id}",
    summary: "change the occupants of a lease",
    access: adminsAndManagers,
    description:
      "Changes an occupant of a lease in any status, since move-in and move-out dates are often recorded late. The primary occupant cannot be replaced here: " +
      "change the `tenantId` of the lease.",
    body: body({
      tenantId: Id.describe("Tenant record of the occupant. Cannot be changed for the primary occupant."),
      fullName: text(1, 160).describe("Full name of the occupant on the lease."),
      role: OccupantRole.describe(ROLE),
      ...particulars,
      moveInDate: PlainDate.nullable().describe("Day on which the occupant moves in; null for the start date of the lease."),
      moveOutDate: PlainDate.nullable().describe("Day on which the occupant moves out, not before the move-in date; null for none."),
    }).partial(),
    response: { occupant: Occupant.describe("Occupant after the change.") },
    errors: [409],
  },
  releaseOccupant: {
    method: "POST",
    path: "/api/lease-occupants/{id}/release",
    summary: "release the occupants of a lease",
    access: adminsAndManagers,
    description: `Ends the rights and obligations of an occupant of an active or expired lease from one day on. ${primaryOccupantConflict}`,
    body: body({
      releasedOn: PlainDate.describe("Day from which the occupant is released, not before the move-in date."),
      moveOutDate: PlainDate.optional().describe("Day on which the occupant moves out. Default the move-out date already recorded, or `releasedOn`."),
    }),
    response: { occupant: Occupant.describe("Released occupant.") },
    errors: [409],
    idempotent: true,
  },
  deleteOccupant: {
    method: "DELETE",
    path: "/api/lease-occupants/{id}",
    summary: "remove occupants from leases",
    access: adminsAndManagers,
    description:
      "Removes an occupant who was added to a draft, pending, active or expired lease by mistake; release an occupant who leaves. " +
      `Occupants of a lease in another status cannot be removed. ${primaryOccupantConflict}`,
    response: { occupant: Occupant.describe("Removed occupant, with `removedAt` set.") },
    errors: [409],
  },
});
