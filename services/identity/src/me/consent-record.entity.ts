import { defineEntity, inPortalReach, newId, enumText, p } from "@freehold/kit/db/entity";

const ConsentRecordSchema = defineEntity({
  name: "ConsentRecord",
  tableName: "consent_record",
  ...inPortalReach,
  indexes: [{ name: "consent_record_by_user", properties: ["organizationId", "userId", "recordedAt"] }],
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary().onCreate(newId),
    userId: p.uuid(),
    channel: enumText(["sms", "email"]),
    isGranted: p.boolean(),
    recordedAt: p.datetime(3),
    ip: p.text().nullable(),
    source: p.text(),
  },
});

/** Proof that a user granted or withdrew consent to messages: time, client address and source. Append-only. */
export class ConsentRecord extends ConsentRecordSchema.class {}
ConsentRecordSchema.setClass(ConsentRecord);
