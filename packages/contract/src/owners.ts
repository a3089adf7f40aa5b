import { z } from "zod";
import { Note } from "./notes.ts";
import { area, body } from "./operation.ts";
import { FullName, taxId } from "./people.ts";
import { managers, office } from "./roles.ts";
import { Cents, Email, Flag, Id, Instant, listQuery, page, Phone, PlainDate, Search, text } from "./values.ts";

const optional = {
  companyName: text(1, 160).nullable(),
  mailingAddress: text(1, 500).nullable(),
  include1099: z.boolean(),
  w9ReceivedOn: PlainDate.nullable(),
  payoutMethod: z.enum(["check", "ach", "none"]),
  holdPayouts: z.boolean(),
  statementDeliver: z.enum(["email", "portal", "none"]),
};

export const Owner = z
  .strictObject({
    id: Id,
    organizationId: Id,
    fullName: z.string(),
    email: Email,
    phone: z.string().nullable(),
    isActive: z.boolean(),
    ...optional,
    ...taxId.members,
    userId: Id.nullable(),
    portalStatus: z.enum(["none", "invited", "active", "locked"]),
    balanceCents: Cents.nullable().meta({
      description: "What is owed to the owner: the posted lines of account 2200, Owner payable, that name the owner. Null while the ledger does not answer.",
    }),
    createdAt: Instant,
    updatedAt: Instant,
    deletedAt: Instant.nullable(),
  })
  .meta({ id: "Owner", description: "Whom a property belongs to." });
export type Owner = z.output<typeof Owner>;

const terms = { ...optional, ...taxId.terms, fullName: FullName, email: Email, phone: Phone.nullable(), isActive: z.boolean() };

export const owners = area("Owners", "portfolio", {
  listOwners: {
    method: "GET",
    path: "/api/owners",
    summary: "list owners",
    access: office,
    description: "The sort by balance answers 503 while the ledger does not answer.",
    query: listQuery(["fullName", "balanceCents", "createdAt"], {
      search: Search.optional(),
      propertyId: Id.optional(),
      isActive: Flag.optional(),
      hasBalance: Flag.optional().meta({ description: "Whether money is owed to the owner. 503 while the ledger does not answer." }),
    }),
    returns: page("owners", Owner),
  },
  createOwner: {
    method: "POST",
    path: "/api/owners",
    summary: "create owners",
    access: managers,
    body: body(terms).partial().required({ fullName: true, email: true }),
    returns: { owner: Owner, notes: z.array(Note) },
    idempotent: true,
  },
  getOwner: { method: "GET", path: "/api/owners/{id}", summary: "read an owner", access: office, returns: { owner: Owner, notes: z.array(Note) } },
  updateOwner: {
    method: "PATCH",
    path: "/api/owners/{id}",
    summary: "change owners",
    access: managers,
    body: body(terms).partial(),
    returns: { owner: Owner, notes: z.array(Note) },
  },
  deleteOwner: {
    method: "DELETE",
    path: "/api/owners/{id}",
    summary: "delete owners",
    access: managers,
    description: "Soft-deletes. Refused with `resource_in_use` while the owner still owns a property, or owes or is owed money.",
    returns: { owner: Owner },
    fails: [409],
  },
});
