import { defineEntity, inPortalReach, enumText, orgColumns, p } from "@freehold/kit/db/entity";

/** Purposes of mailed links. */
export const purposes = ["password_reset", "email_confirmation"] as const;
export type Purpose = (typeof purposes)[number];

const OneTimeTokenSchema = defineEntity({
  name: "OneTimeToken",
  tableName: "one_time_token",
  ...inPortalReach,
  uniques: [{ name: "one_time_token_once", properties: ["organizationId", "tokenHash"] }],
  indexes: [{ name: "one_time_token_by_user", properties: ["organizationId", "userId"] }],
  properties: {
    ...orgColumns,
    userId: p.uuid(),
    purpose: enumText(purposes),
    tokenHash: p.text(),
    expiresAt: p.datetime(3),
    usedAt: p.datetime(3).nullable(),
  },
});

/** Single-use token of an e-mailed link. Only the digest is stored. */
export class OneTimeToken extends OneTimeTokenSchema.class {}
OneTimeTokenSchema.setClass(OneTimeToken);
