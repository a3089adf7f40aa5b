/** Schemas shared by the tenant, owner and vendor portals: restricted views of office resources. */
import { z } from "zod";
import { documentCategories, documents } from "../documents/documents.ts";
import { Occupant } from "../leases/lease-occupants.ts";
import { Lease } from "../leases/leases.ts";
import { body } from "../operation.ts";
import { csvEnum, Id, listQuery, Search, text } from "../values.ts";

export const PortalOrganization = z
  .strictObject({
    id: Id.describe("Unique identifier of the organization."),
    name: z.string().describe("Name of the organization."),
    timezone: z.string().describe("IANA time zone of the organization, such as `America/New_York`."),
  })
  .meta({ id: "PortalOrganization", description: "The organization that manages the property." });

export const PortalOccupant = Occupant.omit({ providerRole: true, notes: true, removedAt: true }).meta({
  id: "PortalOccupant",
  description: "A person on a lease, without the internal remarks of the office.",
});

/** Lease view of the portals, without members for the office only and without balances from the ledger. */
export const PortalLease = Lease.omit({
  depositHeldCents: true,
  balanceCents: true,
  nextRentDueOn: true,
  overduePostedRentCents: true,
  terminationReason: true,
  deletedAt: true,
})
  .extend({
    renewedToLeaseId: Id.nullable().describe("Renewal of the lease once it is activated; null when there is none."),
    occupants: z.array(PortalOccupant).describe("Occupants and guarantors of the lease, including released ones, the primary occupant first."),
  })
  .meta({ id: "PortalLease", description: "A lease in the tenant portal." });
export type PortalLease = z.output<typeof PortalLease>;

/** Query and response of the portals' document lists, which contain only documents shared with the caller. */
export const portalDocuments = {
  query: listQuery(["createdAt", "title"], {
    search: Search.optional().describe("Case-insensitive text to find in titles and file names."),
    category: csvEnum(documentCategories).optional().describe("Categories of document, repeated or comma-separated."),
  }).omit({ includeDeleted: true }),
  response: documents.operations.listDocuments.response,
};

/** Body of a comment on a work order. */
export const CommentBody = body({ body: text(1, 4000).describe("Text of the comment, added to the work order as a note.") });
