import { roles } from "@freehold/contract/roles";
import { defineEntity, inPortalReach, enumText, orgColumns, p } from "@freehold/kit/db/entity";

const UserSchema = defineEntity({
  name: "User",
  tableName: "app_user",
  ...inPortalReach,
  uniques: [
    { name: "app_user_email_once", properties: ["organizationId", "email"], where: { deletedAt: null } },
    { name: "app_user_subject_once", properties: ["organizationId", "subjectId"], where: { deletedAt: null } },
  ],
  properties: {
    ...orgColumns,
    email: p.text(),
    fullName: p.text(),
    phone: p.text().nullable(),
    role: enumText(roles),
    subjectId: p.uuid().nullable(),
    isActive: p.boolean(),
    passwordHash: p.text().nullable().hidden(),
    emailConfirmedAt: p.datetime(3).nullable(),
    onboardingCompletedAt: p.datetime(3).nullable(),
    locale: p.text(),
    smsConsentGranted: p.boolean(),
    smsConsentAt: p.datetime(3).nullable(),
    emailConsentGranted: p.boolean(),
    emailConsentAt: p.datetime(3).nullable(),
    lastLoginAt: p.datetime(3).nullable(),
    deletedAt: p.datetime(3).nullable(),
    /** Version in the user's access tokens. Tokens with a lower one are invalid. */
    accessVersion: p.integer().default(0),
  },
});

/**
 * User of one organization. `subjectId` is the tenant, owner or vendor of a portal user, and null for office users. `passwordHash` is
 * null until the invite is accepted. E-mail addresses are in lower case.
 */
export class User extends UserSchema.class {}
UserSchema.setClass(User);
