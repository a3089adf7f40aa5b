import { portalRoles, type PortalRole } from "@freehold/contract/roles";
import { defineEntity, inOrganization, enumText, orgColumns, p } from "@freehold/kit/db/entity";

/** Generated column: the subject id of an invite of this kind, otherwise null. A foreign key refers it to the table of the kind. */
const subjectIdOf = (kind: PortalRole) => p.uuid().nullable().generated(`(case when kind = '${kind}' then subject_id end) stored`);

const InviteSchema = defineEntity({
  name: "Invite",
  tableName: "invite",
  ...inOrganization,
  indexes: [
    {
      name: "invite_running_out",
      expression: `create index invite_running_out on invite (organization_id, expires_at) where status = 'pending' and expiry_announced_at is null`,
    },
    { name: "invite_by_subject", properties: ["organizationId", "subjectId"] },
    { name: "invite_pending_once", expression: `create unique index invite_pending_once on invite (organization_id, subject_id) where status = 'pending'` },
  ],
  properties: {
    ...orgColumns,
    kind: enumText(portalRoles),
    subjectId: p.uuid(),
    tenantId: subjectIdOf("tenant"),
    ownerId: subjectIdOf("owner"),
    vendorId: subjectIdOf("vendor"),
    leaseId: p.uuid().nullable(),
    email: p.text(),
    nonce: p.uuid(),
    status: enumText(["pending", "accepted", "revoked"]),
    expiresAt: p.datetime(3),
    expiryAnnouncedAt: p.datetime(3).nullable(),
    acceptedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    acceptedUserId: p.uuid().nullable(),
    createdByUserId: p.uuid().nullable(),
  },
});
/** Invite to create a portal account within seven days. Its token is derived from the nonce, never stored. */
export class Invite extends InviteSchema.class {}
InviteSchema.setClass(Invite);
