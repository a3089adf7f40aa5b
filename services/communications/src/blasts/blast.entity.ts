/** Tables of blasts and their recipients. */
import { blastChannels, blastStatuses, type Blast as BlastView, type BlastVersion } from "@freehold/contract/communications/blasts";
import { defineEntity, enumText, inOrganization, orgColumns, p, textArray } from "@freehold/kit/db/entity";

export type BlastChannel = (typeof blastChannels)[number];

const BlastSchema = defineEntity({
  name: "Blast",
  tableName: "blast",
  ...inOrganization,
  indexes: [
    { name: "blast_by_creation", properties: ["organizationId", "createdAt", "id"] },
    {
      name: "blast_in_progress",
      expression: "create index blast_in_progress on blast (organization_id, status, scheduled_at) where status in ('scheduled', 'queued', 'sending')",
    },
  ],
  properties: {
    ...orgColumns,
    title: p.text(),
    body: p.text(),
    channels: textArray().$type<BlastChannel[]>(),
    autoTranslate: p.boolean(),
    status: enumText(blastStatuses),
    actorUserId: p.uuid(),
    actorName: p.text(),
    target: p.json().$type<BlastView["target"]>(),
    targetSummary: p.json().$type<BlastView["targetSummary"]>(),
    recipientCount: p.integer(),
    skippedUnlinkedTenantCount: p.integer(),
    languageCounts: p.json().$type<Record<string, number>>(),
    versions: p.json().$type<BlastVersion[]>(),
    scheduledAt: p.datetime(3).nullable(),
    queuedAt: p.datetime(3).nullable(),
    completedAt: p.datetime(3).nullable(),
    error: p.text().nullable(),
    deletedAt: p.datetime(3).nullable(),
  },
});

/** Message to the tenants of properties, units or a list. The counts of recipients are an estimate until it is sent. */
export class Blast extends BlastSchema.class {}
BlastSchema.setClass(Blast);

const BlastRecipientSchema = defineEntity({
  name: "BlastRecipient",
  tableName: "blast_recipient",
  ...inOrganization,
  uniques: [{ name: "blast_recipient_once", properties: ["organizationId", "blastId", "tenantId", "channel"] }],
  indexes: [
    {
      name: "blast_recipient_waiting",
      expression: "create index blast_recipient_waiting on blast_recipient (organization_id, blast_id, id) where status = 'pending'",
    },
  ],
  properties: {
    ...orgColumns,
    blastId: p.uuid(),
    tenantId: p.uuid(),
    channel: enumText(blastChannels),
    language: p.text(),
    status: enumText(["pending", "queued", "skipped"]),
    skipReason: p.text().nullable(),
    messageId: p.uuid().nullable(),
  },
});

/** Message of a blast to one tenant over one channel: pending, queued as the message with `messageId`, or skipped. */
export class BlastRecipient extends BlastRecipientSchema.class {}
BlastRecipientSchema.setClass(BlastRecipient);
