import { z } from "zod";
import { Note } from "../overview/notes.ts";
import { operationGroup, body } from "../operation.ts";
import { FullName, taxId } from "./people.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { Cents, Email, QueryBoolean, Id, Instant, listQuery, page, Phone, PlainDate, Search, text } from "../values.ts";

const optional = {
  companyName: text(1, 160).nullable().describe("Company that owns the property, or that the owner represents; null for none."),
  mailingAddress: text(1, 500).nullable().describe("Mailing address of the owner on one line; null when not recorded."),
  include1099: z.boolean().describe("Whether a form 1099-MISC is filed for rents paid to the owner; `true` unless set."),
  w9ReceivedOn: PlainDate.nullable().describe("Day on which the owner's form W-9 was received; null when not received."),
  payoutMethod: z.enum(["check", "ach", "none"]).describe("Method of paying distributions to the owner; `none` unless set."),
  holdPayouts: z.boolean().describe("Whether distributions to the owner are on hold; `false` unless set."),
  statementDeliver: z
    .enum(["email", "portal", "none"])
    .describe(
      "Delivery of owner statements: a link by e-mail, a notification in the portal, or nothing; `none` unless set. See the generation of a statement.",
    ),
};

export const Owner = z
  .strictObject({
    id: Id.describe("Unique identifier of the owner."),
    organizationId: Id.describe("Organization that manages the owner's properties."),
    fullName: z.string().describe("Full name of the owner."),
    email: Email.describe("E-mail address of the owner; several owners can share an address."),
    phone: z.string().nullable().describe("Phone number of the owner; null when not recorded."),
    isActive: z.boolean().describe("Whether the organization works with the owner. Deleting an owner sets `false`."),
    ...optional,
    ...taxId.members,
    userId: Id.nullable().describe("User account of the owner in the portal; null without an account."),
    portalStatus: z
      .enum(["none", "invited", "active", "locked"])
      .describe("Portal access: `none`, `invited` (an invite is pending), `active` (an account exists) or `locked` (access is suspended)."),
    balanceCents: Cents.nullable().describe(
      "Balance of the owner's ledger in cents today, on the cash basis; negative when the owner owes money. Null while the ledger is unavailable.",
    ),
    createdAt: Instant.describe("Time at which the owner was created."),
    updatedAt: Instant.describe("Time at which the owner was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the owner was deleted; null unless deleted."),
  })
  .meta({ id: "Owner", description: "A person or company that owns properties managed by the organization." });
export type Owner = z.output<typeof Owner>;

const terms = {
  ...optional,
  ...taxId.terms,
  fullName: FullName.describe("Full name of the owner."),
  email: Email.describe("E-mail address of the owner; several owners can share an address."),
  phone: Phone.nullable().describe("Phone number of the owner; null for none."),
  isActive: z.boolean().describe("Whether the organization works with the owner; `true` unless set."),
};
const withNotes = (owner: string) => ({
  owner: Owner.describe(owner),
  notes: z.array(Note).describe("Notes about the owner, newest first, at most 100."),
});

export const owners = operationGroup("Owners", "portfolio", {
  listOwners: {
    method: "GET",
    path: "/api/owners",
    summary: "list owners",
    access: officeRoles,
    description: "Sorting by `balanceCents` returns 503 while the ledger is unavailable.",
    query: listQuery(["fullName", "balanceCents", "createdAt"], {
      search: Search.optional().describe("Case-insensitive text to find in the name, company and e-mail address."),
      propertyId: Id.optional().describe("Only owners of this property, as of today."),
      isActive: QueryBoolean.optional().describe("`true` for active owners, `false` for inactive owners."),
      hasBalance: QueryBoolean.optional().describe(
        "`true` for owners who are owed money, `false` for the others. Returns 503 while the ledger is unavailable.",
      ),
    }),
    response: page("owners", Owner),
  },
  createOwner: {
    method: "POST",
    path: "/api/owners",
    summary: "create owners",
    access: adminsAndManagers,
    body: body(terms).partial().required({ fullName: true, email: true }),
    response: withNotes("Created owner."),
    idempotent: true,
  },
  getOwner: { method: "GET", path: "/api/owners/{id}", summary: "read an owner", access: officeRoles, response: withNotes("Requested owner.") },
  updateOwner: {
    method: "PATCH",
    path: "/api/owners/{id}",
    summary: "change owners",
    access: adminsAndManagers,
    body: body(terms).partial(),
    response: withNotes("Owner after the change."),
  },
  deleteOwner: {
    method: "DELETE",
    path: "/api/owners/{id}",
    summary: "delete owners",
    access: adminsAndManagers,
    description: "Soft-deletes the owner. Returns 409 `resource_in_use` while the owner owns a property, now or later, or has a balance other than zero.",
    response: { owner: Owner.describe("Deleted owner, with `deletedAt` set.") },
    errors: [409],
  },
});
