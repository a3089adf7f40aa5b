import { defineEntity, inPortalReach, orgColumns, p } from "@freehold/kit/db/entity";

const SessionSchema = defineEntity({
  name: "Session",
  tableName: "session",
  ...inPortalReach,
  indexes: [{ name: "session_by_user", properties: ["organizationId", "userId"] }],
  properties: {
    ...orgColumns,
    userId: p.uuid(),
    expiresAt: p.datetime(3),
    revokedAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    ip: p.text().nullable(),
    userAgent: p.text().nullable(),
  },
});

/** Session of one sign-in with its family of refresh tokens, which are revoked together. */
export class Session extends SessionSchema.class {}
SessionSchema.setClass(Session);
