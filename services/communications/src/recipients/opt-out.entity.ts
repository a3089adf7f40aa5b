/** Tables of the addresses to which nothing is sent. */
import { suppressionReasons } from "@freehold/contract/communications/suppressions";
import { defineEntity, enumText, inOrganization, orgColumns, p } from "@freehold/kit/db/entity";

const SmsOptOutSchema = defineEntity({
  name: "SmsOptOut",
  tableName: "sms_opt_out",
  ...inOrganization,
  uniques: [
    {
      name: "sms_opt_out_in_force",
      expression: "create unique index sms_opt_out_in_force on sms_opt_out (organization_id, phone) where ended_at is null",
    },
  ],
  properties: { ...orgColumns, phone: p.text(), source: p.text(), endedAt: p.datetime(3).nullable() },
});

/** Opt-out of a phone number from all text messages of the organization, from `createdAt` until `endedAt`. Its source is the keyword that was received. */
export class SmsOptOut extends SmsOptOutSchema.class {}
SmsOptOutSchema.setClass(SmsOptOut);

const SuppressedAddressSchema = defineEntity({
  name: "SuppressedAddress",
  tableName: "suppressed_address",
  ...inOrganization,
  uniques: [{ name: "suppressed_address_once", properties: ["organizationId", "address"] }],
  indexes: [{ name: "suppressed_address_by_time", properties: ["organizationId", "suppressedAt", "id"] }],
  properties: {
    ...orgColumns,
    address: p.text(),
    reason: enumText(suppressionReasons),
    suppressedAt: p.datetime(3).defaultRaw("now()"),
    deletedAt: p.datetime(3).nullable(),
    deletedByUserId: p.uuid().nullable(),
  },
});

/** E-mail address, in lower case, that returned an e-mail for good or complained about one. The row of a lifted suppression is used again by the next one. */
export class SuppressedAddress extends SuppressedAddressSchema.class {}
SuppressedAddressSchema.setClass(SuppressedAddress);
