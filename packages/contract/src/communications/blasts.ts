import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers, officeRoles } from "../roles.ts";
import { csvEnum, Id, Instant, listQuery, page, Person, PlainDate, Search, text } from "../values.ts";

export const blastStatuses = ["draft", "scheduled", "queued", "sending", "completed", "failed"] as const;
export const blastChannels = ["in_app", "email", "sms"] as const;
export const recipientStatuses = ["pending", "dispatched", "failed", "skipped"] as const;

const count = z.int().min(0);
const Language = text(2, 32).describe("Language of the version as a language tag, such as `es`.");
const ids = (what: string) => z.array(Id).max(1_000).default([]).describe(`IDs of ${what}. Default: none.`);
const Named = z.strictObject({ id: Id.describe("ID of the target."), label: z.string().describe("Name of the target.") });

const BlastVersion = z
  .strictObject({
    language: Language,
    title: z.string().min(1).max(160).describe("Title in this language."),
    body: z.string().min(1).max(8000).describe("Text in this language."),
    aiTranslated: z.boolean().describe("Indicates that the version was translated by the translation service."),
  })
  .meta({ id: "BlastVersion", description: "Text of a blast in one language." });
export type BlastVersion = z.output<typeof BlastVersion>;

const LanguageCounts = z.record(z.string(), count).describe("Number of recipients by language.");
const languageCounts = LanguageCounts;
const SkippedCount = count.describe("Number of tenants in the target whom no requested channel reaches.");

export const Blast = z
  .strictObject({
    id: Id.describe("ID of the blast."),
    title: text(1, 160).describe("Title of the blast: the subject of e-mails and the title of notifications."),
    body: text(1, 4000).describe("Text of the blast."),
    channels: z.array(z.enum(blastChannels)).describe("Channels of the blast: `in_app` (the portal), `email` and `sms`."),
    autoTranslate: z.boolean().describe("Whether the blast is translated into the languages of its recipients."),
    status: z
      .enum(blastStatuses)
      .describe(
        "Status of the blast: `draft`, `scheduled` for later, `queued` and `sending` while it is sent, `completed`, or `failed` when nothing could be sent.",
      ),
    actorUser: Person.describe("User who created the blast."),
    target: z
      .strictObject({
        propertyIds: z.array(Id).describe("Properties whose residents receive the blast."),
        tenantIds: z.array(Id).describe("Tenants who receive the blast."),
        unitIds: z.array(Id).describe("Units whose residents receive the blast."),
      })
      .describe("Target of the blast."),
    targetSummary: z
      .strictObject({
        properties: z.array(Named).describe("Properties of the target."),
        tenants: z.array(Named).describe("Tenants of the target."),
        units: z.array(Named).describe("Units of the target."),
      })
      .describe("Target with the names at the time of the last change."),
    recipientCount: count.describe("Number of tenants whom the blast reaches, each counted once."),
    recipientCountIsEstimate: z.boolean().describe("Indicates that the recipients are determined when the blast is sent."),
    recipientStats: z
      .strictObject({
        dispatched: count.describe("Messages that their provider has accepted."),
        failed: count.describe("Messages that failed."),
        pending: count.describe("Messages that are still attempted."),
        total: count.describe("All messages, without skipped ones."),
      })
      .describe("Messages of the blast by status; zero before it is sent."),
    skippedUnlinkedTenantCount: SkippedCount,
    languageCount: count.describe("Number of languages of the recipients."),
    languageCounts,
    versions: z.array(BlastVersion).describe("Versions by language. Recipients with another language receive `title` and `body`."),
    scheduledAt: Instant.nullable().describe("Time at which the blast is sent, or null."),
    queuedAt: Instant.nullable().describe("Time at which the blast was queued. Null until then."),
    completedAt: Instant.nullable().describe("Time at which the blast ended. Null until then."),
    error: z
      .string()
      .nullable()
      .describe("Reason why nothing could be sent, or the languages whose translation failed when the blast was sent. Null without either."),
    createdAt: Instant.describe("Time at which the blast was created."),
    updatedAt: Instant.describe("Time at which the blast was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the blast was deleted. Null unless deleted."),
  })
  .meta({ id: "NotificationBlast", description: "Message to the tenants of properties, units or a list." });
export type Blast = z.output<typeof Blast>;

const Recipient = z
  .strictObject({
    id: Id.describe("ID of the message to the recipient."),
    tenantId: Id.describe("ID of the tenant."),
    channel: z.enum(blastChannels).describe("Channel of the message."),
    language: Language,
    status: z
      .enum(recipientStatuses)
      .describe("Status of the message: `pending`, `dispatched` once its provider has accepted it, `failed`, or `skipped` when it may not be sent."),
    skipReason: z
      .string()
      .nullable()
      .describe(
        "Reason why the message was skipped: `no_consent`, `opted_out`, `no_email`, `no_phone`, `no_user`, `suppressed`, `deleted`, `email_unconfirmed`, `minor` (lives there and is under 18) or `duplicate_address` (the blast is sent to this address for another tenant). Null for others.",
      ),
    sentAt: Instant.nullable().describe(
      "Time at which the provider accepted the message. Null until then, and once its delivery was deleted after `MESSAGE_DAYS`.",
    ),
    error: z.string().nullable().describe("Reason of the last failed attempt. Null without one."),
  })
  .meta({ id: "BlastRecipient", description: "Message of a blast to one tenant over one channel." });
export type BlastRecipient = z.output<typeof Recipient>;

const Target = body({
  propertyIds: ids("properties whose adult residents receive the blast"),
  tenantIds: ids("tenants who receive the blast"),
  unitIds: ids("units whose adult residents receive the blast"),
});
const Channels = z.array(z.enum(blastChannels)).min(1).describe("Channels of the blast.");
const terms = {
  title: text(1, 160).describe("Title of the blast: the subject of e-mails and the title of notifications."),
  body: text(1, 4000).describe("Text of the blast. Text messages have the title and the text; those of more than 1,600 characters are sent in numbered parts."),
  channels: Channels,
  target: Target.describe("Tenants who receive the blast, each once. At least one ID; for everybody, name all properties."),
};
const Versions = z
  .array(
    body({
      language: Language,
      title: text(1, 160).describe("Title in this language."),
      body: text(1, 8000).describe("Text in this language."),
    }),
  )
  .max(20)
  .describe("Versions by language, each language once.");
const AutoTranslate = z.boolean().describe("Whether to translate the blast into the languages of its recipients that have no version.");
const ScheduledAt = Instant.describe("Time at which the blast is sent, in the future.");
const response = { blast: Blast };
const TRANSLATION_NOTE = "With `autoTranslate`, missing versions are translated: 503 `not_configured` without a translation service, and 502 when it fails.";
const DRAFT_NOTE = "Those of a draft are translated when it is scheduled or sent.";

const CONFIRMATION_NOTE = "an admin must have confirmed their e-mail address with a mailed link (else 403 `email_unconfirmed`).";

export const blasts = operationGroup("Blasts", "communications", {
  previewBlast: {
    method: "POST",
    path: "/api/notifications/blasts/preview",
    summary: "preview blasts",
    access: adminsAndManagers,
    description: `Returns whom a blast reaches now, and its text by language. ${TRANSLATION_NOTE}`,
    body: body({ ...terms, autoTranslate: AutoTranslate.optional() }),
    response: {
      preview: z
        .strictObject({
          recipientCount: count.describe("Number of tenants whom the blast reaches, each counted once."),
          skippedUnlinkedTenantCount: SkippedCount,
          languageCounts,
          versions: z.array(BlastVersion).describe("Versions by language, the original first."),
          smsSegments: z
            .array(
              z.strictObject({
                language: Language,
                segments: z.int().min(1).describe("Segments that a text message takes, each of which is charged."),
                encoding: z.enum(["gsm_7", "ucs_2"]).describe("Encoding of the text message: `ucs_2` halves the length of a segment."),
              }),
            )
            .describe("Length of the text messages by language; empty without the channel `sms`."),
        })
        .describe("Preview of the blast."),
    },
    errors: [502, 503],
    changesNothing: true,
  },
  listBlasts: {
    method: "GET",
    path: "/api/notifications/blasts",
    summary: "list blasts",
    access: officeRoles,
    query: listQuery(["createdAt", "scheduledAt"], {
      search: Search.optional().describe("Case-insensitive text to find in the title and the text."),
      status: csvEnum(blastStatuses).optional().describe("Return only blasts with these statuses, repeated or comma-separated."),
      createdAfter: PlainDate.optional().describe("Return only blasts created on or after this date, in the organization's time zone."),
      createdBefore: PlainDate.optional().describe("Return only blasts created on or before this date, in the organization's time zone."),
      scheduledAfter: PlainDate.optional().describe("Return only blasts scheduled for this date or later, in the organization's time zone."),
      scheduledBefore: PlainDate.optional().describe("Return only blasts scheduled for this date or earlier, in the organization's time zone."),
    }),
    response: page("blasts", Blast),
  },
  createBlast: {
    method: "POST",
    path: "/api/notifications/blasts",
    summary: "create blasts",
    access: adminsAndManagers,
    description: `Creates a draft, or a scheduled blast if \`scheduledAt\` is sent. Condition for scheduling it: ${CONFIRMATION_NOTE} ${TRANSLATION_NOTE} ${DRAFT_NOTE}`,
    body: body({
      ...terms,
      autoTranslate: AutoTranslate.default(false),
      versions: Versions.default([]),
      scheduledAt: ScheduledAt.optional(),
    }),
    response,
    errors: [502, 503],
    idempotent: true,
  },
  getBlast: { method: "GET", path: "/api/notifications/blasts/{id}", summary: "read a blast", access: officeRoles, response },
  updateBlast: {
    method: "PATCH",
    path: "/api/notifications/blasts/{id}",
    summary: "change blasts",
    access: adminsAndManagers,
    description: `Changes a draft or a scheduled blast (else 409 \`invalid_transition\`). Versions are replaced as a whole. Condition for scheduling it: ${CONFIRMATION_NOTE} ${TRANSLATION_NOTE} ${DRAFT_NOTE}`,
    body: body({
      ...terms,
      autoTranslate: AutoTranslate,
      versions: Versions,
      scheduledAt: ScheduledAt.nullable().describe(
        "Time at which the blast is sent, in the future: schedules a draft, or moves a scheduled blast. Null makes it a draft.",
      ),
    }).partial(),
    response,
    errors: [409, 502, 503],
  },
  sendBlast: {
    method: "POST",
    path: "/api/notifications/blasts/{id}/send",
    summary: "send blasts",
    access: adminsAndManagers,
    description: `Queues a draft (else 409 \`invalid_transition\`), which is sent once, however often it is requested. Its recipients are those of the target at that time. Condition: ${CONFIRMATION_NOTE} ${TRANSLATION_NOTE}`,
    response,
    errors: [409, 502, 503],
    idempotent: true,
  },
  scheduleBlast: {
    method: "POST",
    path: "/api/notifications/blasts/{id}/schedule",
    summary: "schedule blasts",
    access: adminsAndManagers,
    description: `Schedules a draft (else 409 \`invalid_transition\`). Its recipients are those of the target at the time of sending; languages that they have got until then are translated at that time, and \`error\` names those whose translation failed. Condition: ${CONFIRMATION_NOTE} ${TRANSLATION_NOTE}`,
    body: body({ scheduledAt: ScheduledAt }),
    response,
    errors: [409, 502, 503],
  },
  unscheduleBlast: {
    method: "POST",
    path: "/api/notifications/blasts/{id}/unschedule",
    summary: "unschedule blasts",
    access: adminsAndManagers,
    description: "Makes a scheduled blast a draft again (else 409 `invalid_transition`).",
    response,
    errors: [409],
  },
  deleteBlast: {
    method: "DELETE",
    path: "/api/notifications/blasts/{id}",
    summary: "delete blasts",
    access: adminsAndManagers,
    description: "Deletes a draft (else 409 `invalid_transition`).",
    response: { blast: Blast.describe("Deleted blast, with `deletedAt` set.") },
    errors: [409],
  },
  listBlastRecipients: {
    method: "GET",
    path: "/api/notifications/blasts/{id}/recipients",
    summary: "list the recipients of a blast",
    access: officeRoles,
    query: listQuery(["createdAt"], {
      status: csvEnum(recipientStatuses).optional().describe("Return only messages with these statuses, repeated or comma-separated."),
      channel: csvEnum(blastChannels).optional().describe("Return only messages over these channels, repeated or comma-separated."),
    }),
    response: page("recipients", Recipient),
  },
  retryBlast: {
    method: "POST",
    path: "/api/notifications/blasts/{id}/retry-failed",
    summary: "retry the failed messages of blasts",
    access: adminsAndManagers,
    description: `Sends the failed messages of a completed or failed blast again, after the same checks: those to addresses that may still not be written to stay failed (409 \`invalid_transition\` when no other is left). Text messages that may have been sent (\`unconfirmed\`) are not repeated. Condition: ${CONFIRMATION_NOTE}`,
    response,
    errors: [409],
    idempotent: true,
  },
});
