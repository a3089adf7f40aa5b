import { z } from "zod";
import { area, body } from "./operation.ts";
import { managers, office } from "./roles.ts";
import { Id, Instant, listQuery, page, PlainDate, text } from "./values.ts";

const OccupantRole = z.enum(["primary", "co_tenant", "occupant", "guarantor"]);

export const Occupant = z
  .strictObject({
    id: Id,
    tenantId: Id.nullable(),
    tenantName: z.string().nullable(),
    fullName: z.string(),
    isPrimary: z.boolean(),
    role: OccupantRole,
    providerRole: z.string().nullable(),
    relationship: z.string().nullable(),
    notes: z.string().nullable(),
    moveInDate: PlainDate.nullable(),
    moveOutDate: PlainDate.nullable(),
    releasedOn: PlainDate.nullable(),
    removedAt: Instant.nullable(),
  })
  .meta({ id: "Occupant", description: "Who lives under a lease, or answers for it." });
export type Occupant = z.output<typeof Occupant>;

const who = {
  tenantId: Id.optional(),
  fullName: text(1, 160).optional(),
  role: OccupantRole,
  isPrimary: z.boolean().optional(),
  moveInDate: PlainDate.optional(),
};
const isNamed = ({ tenantId, fullName }: { tenantId?: string | undefined; fullName?: string | undefined }) => tenantId ?? fullName;
const nameFirst = { path: ["fullName"], params: { code: "required" }, message: "Give an occupant a tenantId or a fullName." };

/** An occupant as a new lease names it. */
export const OccupantTerms = body(who).refine(isNamed, nameFirst);

/** What is known of an occupant besides. */
const particulars = {
  providerRole: text(1, 160).nullable(),
  relationship: text(1, 120).nullable(),
  notes: text(1, 2000).nullable(),
};

const lastPrimary = "The primary occupant of a lease that is pending or active stays: 409 `resource_in_use`.";

export const leaseOccupants = area("Leases", "portfolio", {
  listOccupants: {
    method: "GET",
    path: "/api/leases/{leaseId}/occupants",
    summary: "list the occupants of a lease",
    access: office,
    query: listQuery(["fullName", "createdAt"], {}),
    returns: page("occupants", Occupant),
  },
  createOccupant: {
    method: "POST",
    path: "/api/leases/{leaseId}/occupants",
    summary: "add occupants to leases",
    access: managers,
    description:
      "Adds somebody to a draft, pending or active lease. The primary occupant is the lease's tenant and nobody else. Who is added without `moveInDate` moves in when the lease's people do, or today if they have.",
    body: body({ ...who, ...z.strictObject(particulars).partial().shape }).refine(isNamed, nameFirst),
    returns: { occupant: Occupant },
    fails: [409],
    idempotent: true,
  },
  updateOccupant: {
    method: "PATCH",
    path: "/api/lease-occupants/{id}",
    summary: "change the occupants of a lease",
    access: managers,
    description:
      "Changes what is sent, whatever the lease's status: who moved in and out when is known late. Nobody becomes or ceases to be the primary occupant by it.",
    body: body({
      tenantId: Id,
      fullName: text(1, 160),
      role: OccupantRole,
      ...particulars,
      moveInDate: PlainDate.nullable(),
      moveOutDate: PlainDate.nullable(),
    }).partial(),
    returns: { occupant: Occupant },
    fails: [409],
  },
  releaseOccupant: {
    method: "POST",
    path: "/api/lease-occupants/{id}/release",
    summary: "release the occupants of a lease",
    access: managers,
    description: `Ends what an occupant of an active or expired lease owes and may from a day on. Without \`moveOutDate\` they move out that day. ${lastPrimary}`,
    body: body({ releasedOn: PlainDate, moveOutDate: PlainDate.optional() }),
    returns: { occupant: Occupant },
    fails: [409],
    idempotent: true,
  },
  deleteOccupant: {
    method: "DELETE",
    path: "/api/lease-occupants/{id}",
    summary: "remove occupants from leases",
    access: managers,
    description: `Takes somebody off a lease who never belonged on it; who leaves is released. A lease that is over keeps its people. ${lastPrimary}`,
    returns: { occupant: Occupant },
    fails: [409],
  },
});
