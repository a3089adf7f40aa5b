import { defineEntity, inPortalReach, orgColumns, p } from "@freehold/kit/db/entity";

const RefreshTokenSchema = defineEntity({
  name: "RefreshToken",
  tableName: "refresh_token",
  ...inPortalReach,
  uniques: [{ name: "refresh_token_once", properties: ["organizationId", "tokenHash"] }],
  indexes: [{ name: "refresh_token_by_session", properties: ["organizationId", "sessionId"] }],
  properties: { ...orgColumns, sessionId: p.uuid(), tokenHash: p.text(), expiresAt: p.datetime(3), usedAt: p.datetime(3).nullable() },
});

/** Single-use refresh token of a session. Only the digest is stored. */
export class RefreshToken extends RefreshTokenSchema.class {}
RefreshTokenSchema.setClass(RefreshToken);
