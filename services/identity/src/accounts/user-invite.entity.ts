import { defineEntity, inOrganization, orgColumns, p } from "@freehold/kit/entity";

const UserInviteSchema = defineEntity({
  name: "UserInvite",
  tableName: "user_invite",
  ...inOrganization,
  indexes: [{ name: "user_invite_by_user", properties: ["organizationId", "userId"] }],
  properties: {
    ...orgColumns,
    userId: p.uuid(),
    expiresAt: p.datetime(3),
    acceptedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    createdByUserId: p.uuid().nullable(),
  },
});

/** The days in which a user of the office can choose a password. Its token is derived from its id and stands nowhere. */
export class UserInvite extends UserInviteSchema.class {}
UserInviteSchema.setClass(UserInvite);
