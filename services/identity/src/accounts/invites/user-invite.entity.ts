import { defineEntity, inOrganization, orgColumns, p } from "@freehold/kit/db/entity";

const UserInviteSchema = defineEntity({
  name: "UserInvite",
  tableName: "user_invite",
  ...inOrganization,
  indexes: [
    { name: "user_invite_by_user", properties: ["organizationId", "userId"] },
    {
      name: "user_invite_running_out",
      expression: `create index user_invite_running_out on user_invite (organization_id, expires_at)
      where accepted_at is null and revoked_at is null and expiry_announced_at is null`,
    },
  ],
  properties: {
    ...orgColumns,
    userId: p.uuid(),
    expiresAt: p.datetime(3),
    acceptedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    /** Time at which `invite.expired` was published. */
    expiryAnnouncedAt: p.datetime(3).nullable(),
    createdByUserId: p.uuid().nullable(),
  },
});

/** Invite of an office user to choose a password. The token is derived from the id and not stored. */
export class UserInvite extends UserInviteSchema.class {}
UserInviteSchema.setClass(UserInvite);
