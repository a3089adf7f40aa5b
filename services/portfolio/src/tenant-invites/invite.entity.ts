import { defineEntity, inOrganization, oneOf, orgColumns, p } from "@freehold/kit/entity";

const InviteSchema = defineEntity({
  name: "Invite",
  tableName: "invite",
  ...inOrganization,
  indexes: [
    { name: "invite_by_tenant", properties: ["organizationId", "tenantId"] },
    { name: "invite_pending_once", expression: `create unique index invite_pending_once on invite (organization_id, tenant_id) where status = 'pending'` },
  ],
  properties: {
    ...orgColumns,
    kind: oneOf(["tenant"]),
    tenantId: p.uuid(),
    leaseId: p.uuid().nullable(),
    email: p.text().nullable(),
    nonce: p.uuid(),
    status: oneOf(["pending", "accepted", "revoked"]),
    expiresAt: p.datetime(3),
    acceptedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    acceptedUserId: p.uuid().nullable(),
    createdByUserId: p.uuid().nullable(),
  },
});
/** Seven days in which somebody can make a portal account. What is stored does not open it: the token is derived with a key. */
export class Invite extends InviteSchema.class {}
InviteSchema.setClass(Invite);
