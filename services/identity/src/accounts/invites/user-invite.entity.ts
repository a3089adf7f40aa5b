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
    /** When it was told of that it ran out. */
    expiryAnnouncedAt: p.datetime(3).nullable(),
    createdByUserId: p.uuid().nullable(),
  },
});

/** The days in which a user of the office can choose a password. Its token is derived from its id and stands nowhere. */
export class UserInvite extends UserInviteSchema.class {}
UserInviteSchema.setClass(UserInvite);
