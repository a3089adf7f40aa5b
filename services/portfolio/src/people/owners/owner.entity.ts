import { defineEntity, inPortalReach, enumText, orgColumns, p, plainDate } from "@freehold/kit/db/entity";
import { normalizedSql } from "../../db/normalized.ts";
import { taxIdTypes } from "../tax-ids/tax-id.rules.ts";

export const portalStatuses = ["none", "invited", "active", "locked"] as const;

const OwnerSchema = defineEntity({
  name: "Owner",
  tableName: "owner",
  ...inPortalReach,
  indexes: [
    { name: "owner_by_name", properties: ["organizationId", "fullName"] },
    { name: "owner_by_change", properties: ["organizationId", "updatedAt"] },
    { name: "owner_by_user", properties: ["organizationId", "userId"] },
    { name: "owner_by_match_name", expression: `create index owner_by_match_name on owner (organization_id, match_name) where deleted_at is null` },
    { name: "owner_by_same_email", expression: `create index owner_by_same_email on owner (organization_id, same_email) where deleted_at is null` },
  ],
  properties: {
    ...orgColumns,
    fullName: p.text(),
    email: p.text(),
    phone: p.text().nullable(),
    isActive: p.boolean(),
    companyName: p.text().nullable(),
    mailingAddress: p.text().nullable(),
    include1099: p.boolean().name("include1099"),
    w9ReceivedOn: plainDate().name("w9_received_on").nullable(),
    payoutMethod: enumText(["check", "ach", "none"]),
    holdPayouts: p.boolean(),
    statementDeliver: enumText(["email", "portal", "none"]),
    taxIdType: enumText(taxIdTypes).nullable(),
    taxIdLast4: p.text().name("tax_id_last4").nullable(),
    taxIdSealed: p.blob().nullable(),
    userId: p.uuid().nullable(),
    portalStatus: enumText(portalStatuses),
    /** Keys by which imports find the record. */
    matchName: p
      .text()
      .nullable()
      .generated(`${normalizedSql("full_name")} stored`),
    sameEmail: p.text().nullable().generated("lower(email) stored"),
    deletedAt: p.datetime(3).nullable(),
  },
});
/** Owner of properties. The tax id is stored encrypted (`taxIdSealed`), its type and last four digits in plain text. */
export class Owner extends OwnerSchema.class {}
OwnerSchema.setClass(Owner);
