import { z } from "zod";
import { area, body } from "./operation.ts";
import { channels, Delivery } from "./people.ts";
import { managers } from "./roles.ts";
import { Email, Id, Instant, Phone } from "./values.ts";

export const TenantInvite = z
  .strictObject({
    id: Id,
    organizationId: Id,
    tenantId: Id,
    leaseId: Id.nullable(),
    email: Email.nullable(),
    token: z.string(),
    status: z.enum(["pending", "accepted", "revoked", "expired"]),
    expiresAt: Instant,
    createdAt: Instant,
    acceptedAt: Instant.nullable(),
    revokedAt: Instant.nullable(),
    createdByUserId: Id.nullable(),
  })
  .meta({ id: "TenantInvite", description: "Seven days in which a tenant can make a portal account. The token is derived, never stored." });
export type TenantInvite = z.output<typeof TenantInvite>;

export const tenantInvites = area("Tenant invites", "portfolio", {
  createTenantInvite: {
    method: "POST",
    path: "/api/tenant-invites",
    summary: "invite tenants",
    access: managers,
    description:
      "A second invite revokes the first. `email` defaults to the tenant's own; `phone` overrides the tenant's for SMS. Without consent or a provider an SMS is skipped and `smsDelivery` says why.",
    body: body({ tenantId: Id, channels: z.array(z.enum(channels)).min(1).max(2), email: Email.optional(), leaseId: Id.optional(), phone: Phone.optional() }),
    returns: {
      invite: TenantInvite,
      inviteLink: z.url(),
      shortInviteLink: z.url().nullable(),
      emailDelivery: Delivery.nullable(),
      smsDelivery: Delivery.nullable(),
    },
    fails: [409],
    idempotent: true,
  },
  revokeTenantInvite: {
    method: "POST",
    path: "/api/tenant-invites/{id}/revoke",
    summary: "revoke tenant invites",
    access: managers,
    returns: { invite: TenantInvite },
    fails: [409],
  },
});
