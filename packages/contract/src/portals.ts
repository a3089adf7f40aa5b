/** What the portals have in common: what of a thing is shown to whom it concerns, but is not the office. */
import { z } from "zod";
import { documentCategories, documents } from "./documents.ts";
import { Occupant } from "./lease-occupants.ts";
import { Lease } from "./leases.ts";
import { body } from "./operation.ts";
import { anyOf, Id, listQuery, Search, text } from "./values.ts";

export const PortalOrganization = z
  .strictObject({ id: Id, name: z.string(), timezone: z.string() })
  .meta({ id: "PortalOrganization", description: "Who manages the property." });

export const PortalOccupant = Occupant.omit({ providerRole: true, notes: true, removedAt: true }).meta({
  id: "PortalOccupant",
  description: "Who lives under a lease, without what the office notes of them.",
});

/** A lease without what the office keeps to itself, and without figures that change with the books. */
export const PortalLease = Lease.omit({
  depositHeldCents: true,
  balanceCents: true,
  nextRentDueOn: true,
  overduePostedRentCents: true,
  terminationReason: true,
  deletedAt: true,
})
  .extend({ occupants: z.array(PortalOccupant) })
  .meta({ id: "PortalLease", description: "A lease as its tenants see it." });
export type PortalLease = z.output<typeof PortalLease>;

/** Documents as every portal lists them: only those that are shared with whoever asks. */
export const portalDocuments = {
  query: listQuery(
    ["createdAt", "title"],
    { search: Search.optional().meta({ description: "Looks at titles and file names." }), category: anyOf(documentCategories).optional() },
    "desc",
  ).omit({ includeDeleted: true }),
  returns: documents.operations.listDocuments.returns,
};

/** What somebody of a portal says about work. */
export const comment = body({ body: text(1, 4000) });
