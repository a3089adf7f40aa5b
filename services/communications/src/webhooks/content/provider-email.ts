/** Events of the e-mail delivery provider, in JSON. */
import { z } from "zod";
import type { InboundFile } from "../../conversations/files/inbound-file.rules.ts";
import { readEmail } from "./email-content.ts";
import { idsOf } from "./message-ids.ts";
import { parseAddress } from "./address.rules.ts";
import { isSenderRefuted, readAuthenticationResults } from "./sender-checks.rules.ts";
import { nothing, type WebhookContent } from "./webhook-content.ts";

/** One address or a list, as texts or as objects. */
const Address = z.union([
  z.string(),
  z.object({ email: z.string() }).transform(({ email }) => email),
  z.object({ address: z.string() }).transform(({ address }) => address),
]);
const Addresses = z.preprocess((value) => (typeof value === "string" ? value.split(",") : [value].flat()), z.array(Address).max(500));
const Headers = z
  .union([
    z
      .array(z.object({ name: z.string(), value: z.string() }))
      .max(500)
      .transform((list) => list.map(({ name, value }) => [name.toLowerCase(), value] as const)),
    z.record(z.string(), z.unknown()).transform((headers) =>
      Object.entries(headers)
        .slice(0, 500)
        .map(([name, value]) => [name.toLowerCase(), value] as const),
    ),
  ])
  .transform((entries) => ({
    headers: new Map(entries.map(([name, value]) => [name, String(value)])),
    authenticationResults: entries.flatMap(([name, value]) => (name === "authentication-results" ? [value].flat().map(String) : [])),
  }));

const Email = z.object({
  from: Address.optional(),
  to: Addresses.default([]),
  subject: z.string().nullish(),
  text: z.string().nullish(),
  html: z.string().nullish(),
  headers: Headers.optional(),
  message_id: z.string().optional(),
  messageId: z.string().optional(),
  attachments: z.unknown().optional(),
  bounce: z.object({ type: z.string().optional() }).optional(),
});
const MAX_ATTACHMENTS = 1_000;
const Attachment = z.object({ filename: z.string().nullish(), name: z.string().nullish(), content: z.string().nullish() });
const Event = z.object({ type: z.string().optional(), data: z.unknown().optional() });

/**
 * Reads an event: an e-mail, a bounce or a complaint. Its members are at the top level or in `data`. The checks of the sender are those in the
 * `Authentication-Results` headers of the given server.
 */
export function readProviderEmail(json: unknown, providerEventId: string, authenticationServer?: string): WebhookContent {
  const event = Event.safeParse(json);
  if (!event.success) return nothing("unknown_format");
  const { type = "email.received", data = json } = event.data;
  const parsed = Email.safeParse(data);
  if (!parsed.success) return nothing("unknown_format");
  const { from, to, subject, text, html, message_id, messageId = message_id, attachments, bounce } = parsed.data;
  const { headers, authenticationResults } = parsed.data.headers ?? { headers: new Map<string, string>(), authenticationResults: [] };
  const kind = type.split(".").at(-1)!;
  if (kind === "bounced" || kind === "complained")
    return {
      kind: "email_feedback",
      effect: kind === "bounced" && /transient|soft|undetermined/i.test(bounce?.type ?? "") ? "delayed" : kind,
      addresses: to.flatMap((address) => parseAddress(address) ?? []),
      emailMessageIds: idsOf(messageId ?? headers.get("message-id") ?? ""),
    };
  if (kind !== "received" && kind !== "inbound") return nothing("unused_event_type");
  if (from === undefined) return nothing("no_sender");
  const isUnverified = authenticationServer !== undefined && isSenderRefuted(readAuthenticationResults(authenticationResults, authenticationServer));
  // The provider adds the fields of a report, and the headers of the e-mail that was returned, to the text.
  const report = text && /^\s*multipart\/report\b/i.test(headers.get("content-type") ?? "") ? { status: text, original: text } : undefined;
  const files = readAttachments(attachments);
  const email = { from, to, subject: subject ?? null, text: text ?? null, html: html ?? null, messageId, headers, files, isUnverified, report };
  return readEmail(email, providerEventId) ?? nothing("no_sender");
}

/** Returns the attachments with their content in Base64. Those that the provider only names are listed without it. */
const readAttachments = (attachments: unknown): InboundFile[] =>
  (Array.isArray(attachments) ? attachments : []).slice(0, MAX_ATTACHMENTS).map((attachment: unknown): InboundFile => {
    const { filename, name, content } = Attachment.safeParse(attachment).data ?? {};
    const file = { name: filename ?? name ?? "" };
    return content ? { ...file, content: Buffer.from(content, "base64") } : { ...file, dropped: "no_content" };
  });
