import { defineEntity, inOrganization, orgColumns, p } from "@freehold/kit/db/entity";

const SessionSchema = defineEntity({
  name: "Session",
  tableName: "session",
  ...inOrganization,
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

/** One signing in and all refresh tokens that came of it: the family that ends as a whole. */
export class Session extends SessionSchema.class {}
SessionSchema.setClass(Session);
