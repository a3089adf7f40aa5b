import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { Id, listQuery, page } from "../values.ts";
import { portalInviteSchemas } from "./portal-invites.ts";

export const TenantInvite = z
  .strictObject({
    ...portalInviteSchemas.members,
    tenantId: Id.describe("Invited tenant."),
    leaseId: Id.nullable().describe("Lease that the invite refers to; null for none."),
  })
  .meta({
    id: "TenantInvite",
    description:
      "An invite for a tenant to create a portal account, valid for 7 days. The token is derived on demand and not stored with the invite; a queued invite e-mail contains it until the e-mail is sent or has failed.",
  });
export type TenantInvite = z.output<typeof TenantInvite>;

export const tenantInvites = operationGroup("Tenant invites", "portfolio", {
  listTenantInvites: {
    method: "GET",
    path: "/api/tenant-invites",
    summary: "list tenant invites",
    access: officeRoles,
    query: listQuery(["createdAt"], {
      tenantId: Id.optional().describe("Only invites of this tenant."),
      leaseId: Id.optional().describe("Only invites that refer to this lease."),
      ...portalInviteSchemas.filters,
    }),
    response: page("invites", TenantInvite),
  },
  getTenantInvite: {
    method: "GET",
    path: "/api/tenant-invites/{id}",
    summary: "read tenant invites",
    access: officeRoles,
    response: { invite: TenantInvite.describe("Requested invite.") },
  },
  createTenantInvite: {
    method: "POST",
    path: "/api/tenant-invites",
    summary: "invite tenants",
    access: adminsAndManagers,
    description: portalInviteSchemas.createDescription("tenant"),
    body: body({
      tenantId: Id.describe("Tenant to invite, who must not have a portal account."),
      ...portalInviteSchemas.createBody,
      leaseId: Id.optional().describe("Lease that the invite refers to; the tenant must be on the lease."),
    }),
    response: { invite: TenantInvite.describe("Created invite."), ...portalInviteSchemas.deliveryResult },
    errors: [409],
    idempotent: true,
  },
  revokeTenantInvite: {
    method: "POST",
    path: "/api/tenant-invites/{id}/revoke",
    summary: "revoke tenant invites",
    access: adminsAndManagers,
    description: "Revokes a pending invite; its link stops working.",
    response: { invite: TenantInvite.describe("Revoked invite.") },
    errors: [409],
  },
  resendTenantInvite: {
    method: "POST",
    path: "/api/tenant-invites/{id}/resend",
    summary: "resend tenant invites",
    access: adminsAndManagers,
    description: portalInviteSchemas.resendDescription,
    body: body(portalInviteSchemas.resendBody),
    response: { invite: TenantInvite.describe("Resent invite."), ...portalInviteSchemas.deliveryResult },
    errors: [409],
    idempotent: true,
  },
});
