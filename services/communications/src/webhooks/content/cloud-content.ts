/** Notifications of the cloud services, in the messages of the cloud notification service. */
import { z } from "zod";
import type { CloudNotification } from "../verification/cloud-notification.rules.ts";
import { parseAddress } from "./address.rules.ts";
import { readEmail } from "./email-content.ts";
import { idsOf } from "./message-ids.ts";
import { parseMime } from "./mime.ts";
import { isSenderRefuted } from "./sender-checks.rules.ts";
import { nothing, storableText, type WebhookContent } from "./webhook-content.ts";

const Recipients = z
  .array(z.object({ emailAddress: z.string() }))
  .max(500)
  .default([]);
const Mail = z.object({
  source: z.string().optional(),
  destination: z.array(z.string()).max(500).default([]),
  commonHeaders: z.object({ messageId: z.string().optional() }).optional(),
  headers: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .max(500)
    .default([]),
});
/** Result of a check as a list; empty without one, also in an unknown format. */
const Verdict = z
  .object({ status: z.string() })
  .transform(({ status }) => [status])
  .catch([]);
const EmailNotification = z.object({
  notificationType: z.string().optional(),
  eventType: z.string().optional(),
  mail: Mail.optional(),
  content: z.string().optional(),
  receipt: z
    .object({
      action: z.object({ encoding: z.string().optional() }).optional(),
      spfVerdict: Verdict,
      dkimVerdict: Verdict,
      dmarcVerdict: Verdict,
    })
    .optional(),
  bounce: z.object({ bounceType: z.string().optional(), bouncedRecipients: Recipients }).optional(),
  complaint: z.object({ complainedRecipients: Recipients }).optional(),
});

/** Reads a notification of the cloud e-mail service: an e-mail with its MIME source, a bounce or a complaint. */
export async function readCloudEmail({ Message, MessageId }: CloudNotification): Promise<WebhookContent> {
  const parsed = EmailNotification.safeParse(parseJson(Message));
  if (!parsed.success) return nothing("unknown_format");
  const { notificationType, eventType, mail, content, receipt, bounce, complaint } = parsed.data;
  const type = notificationType ?? eventType;
  const messageId = mail?.commonHeaders?.messageId ?? mail?.headers.find(({ name }) => name.toLowerCase() === "message-id")?.value;
  const feedback = (effect: "bounced" | "complained" | "delayed", recipients: z.output<typeof Recipients>): WebhookContent => ({
    kind: "email_feedback",
    effect,
    addresses: recipients.flatMap(({ emailAddress }) => parseAddress(emailAddress) ?? []),
    emailMessageIds: idsOf(messageId ?? ""),
  });
  if (bounce && type === "Bounce") return feedback(bounce.bounceType === "Permanent" ? "bounced" : "delayed", bounce.bouncedRecipients);
  if (complaint && type === "Complaint") return feedback("complained", complaint.complainedRecipients);
  if (type !== "Received") return nothing("unused_event_type");
  if (content === undefined) return nothing("no_content");
  const isBase64 = receipt?.action?.encoding?.toUpperCase() === "BASE64";
  const email = await parseMime(Buffer.from(content, isBase64 ? "base64" : "utf8"));
  if (!email) return nothing("too_complex");
  const [from, to] = [email.from || (mail?.source ?? ""), [...new Set([...email.to, ...(mail?.destination ?? [])])]];
  const isUnverified = receipt !== undefined && isSenderRefuted({ spf: receipt.spfVerdict, dkim: receipt.dkimVerdict, dmarc: receipt.dmarcVerdict });
  return readEmail({ ...email, from, to, isUnverified }, MessageId) ?? nothing("no_sender");
}

const SmsNotification = z.object({
  originationNumber: z.string().min(1).max(64),
  destinationNumber: z.string().max(64).default(""),
  messageBody: z.string().default(""),
  inboundMessageId: z.string().min(1).max(255).optional(),
});

/** Reads a text message from the cloud notification service. */
export function readCloudSms({ Message, MessageId }: CloudNotification): WebhookContent {
  const parsed = SmsNotification.safeParse(parseJson(Message));
  if (!parsed.success) return nothing("unknown_format");
  const { originationNumber, destinationNumber, messageBody, inboundMessageId } = parsed.data;
  return {
    kind: "message",
    channel: "sms",
    from: storableText(originationNumber),
    to: destinationNumber === "" ? [] : [storableText(destinationNumber)],
    subject: null,
    body: storableText(messageBody),
    externalId: storableText(inboundMessageId ?? MessageId),
    automaticReason: null,
    deliveredTo: [],
    files: [],
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
