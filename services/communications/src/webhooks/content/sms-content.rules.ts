/** Forms of the SMS provider: text messages and reports of their status. */
import { boundFiles, type InboundFile } from "../../conversations/files/inbound-file.rules.ts";
import { nothing, storableText, type WebhookContent } from "./webhook-content.ts";

/** Reads a text message, with the addresses of its pictures. */
export function readSms(form: URLSearchParams): WebhookContent {
  const [sid, from] = [form.get("MessageSid") ?? form.get("SmsMessageSid") ?? form.get("SmsSid"), form.get("From")];
  if (!sid || !from) return nothing("unknown_format");
  const mediaCount = Number(form.get("NumMedia") ?? 0);
  return {
    kind: "message",
    channel: "sms",
    from: storableText(from),
    to: [storableText(form.get("To") ?? "")].filter((to) => to !== ""),
    subject: null,
    body: storableText(form.get("Body") ?? ""),
    externalId: storableText(sid),
    metadata: mediaCount > 0 ? { mediaCount } : {},
    automaticReason: null,
    deliveredTo: [],
    files: boundFiles(readPictures(form, mediaCount)),
  };
}

/** The provider accepts ten pictures. */
const MAX_PICTURES = 20;

const readPictures = (form: URLSearchParams, mediaCount: number): InboundFile[] =>
  Array.from({ length: mediaCount > 0 ? Math.min(Math.trunc(mediaCount), MAX_PICTURES) : 0 }, (_, index): InboundFile => {
    const [name, url] = [`picture-${index + 1}`, form.get(`MediaUrl${index}`)];
    return url ? { name, url } : { name, dropped: "no_content" };
  });

const finalStatuses: Record<string, "delivered" | "failed"> = { delivered: "delivered", read: "delivered", failed: "failed", undelivered: "failed" };

/** Reads a report of the status of a text message. */
export function readSmsStatus(form: URLSearchParams): WebhookContent {
  const [sid, reported] = [form.get("MessageSid") ?? form.get("SmsSid"), form.get("MessageStatus") ?? form.get("SmsStatus")];
  if (!sid || !reported) return nothing("unknown_format");
  const status = finalStatuses[reported.toLowerCase()] ?? null;
  const code = /^\d{1,6}$/.exec(form.get("ErrorCode") ?? "")?.[0];
  return {
    kind: "sms_status",
    sid: storableText(sid),
    to: storableText(form.get("To") ?? ""),
    status,
    error: status === "failed" ? `rejected_${code ?? reported.toLowerCase().slice(0, 20)}` : null,
  };
}
