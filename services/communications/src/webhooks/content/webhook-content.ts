/** Content of webhook events, in one form for all providers. */
import type { InboundFile } from "../../conversations/files/inbound-file.rules.ts";
import type { ReceivedMessage } from "../../conversations/receive-message.ts";

/** E-mail or text message that arrived. */
export interface InboundMessage extends ReceivedMessage {
  kind: "message";
  /** Reason for which it was written by a machine, or null. */
  automaticReason: string | null;
  /** Addresses to which an e-mail was delivered, also by forwarding. */
  deliveredTo: string[];
  /** Attachments or pictures, within the limits of a message. */
  files: InboundFile[];
}

/** Report that e-mails to addresses were returned, or that their recipients complained. */
export interface EmailFeedback {
  kind: "email_feedback";
  /** `rejected` concerns the e-mail only, not its address. `delayed` may still be delivered, and has no effect. */
  effect: "bounced" | "complained" | "rejected" | "delayed";
  addresses: string[];
  /** `Message-ID`s of the e-mails. */
  emailMessageIds: string[];
  /** True for a report that arrived as an e-mail, which anybody can send: it concerns e-mails of ours only. */
  isReturnedMail?: boolean;
}

/** Report of the status of a sent text message. */
export interface SmsStatus {
  kind: "sms_status";
  /** ID of the message at the provider. */
  sid: string;
  /** Phone number of the recipient. */
  to: string;
  /** Null for a status on the way, which has no effect. */
  status: "delivered" | "failed" | null;
  error: string | null;
}

export type WebhookContent =
  | InboundMessage
  | EmailFeedback
  | SmsStatus
  /** Request to confirm the subscription of a topic, whose body is the message. */
  | { kind: "subscription" }
  | { kind: "none"; reason: string };

export const nothing = (reason: string): WebhookContent => ({ kind: "none", reason });

/** Removes what PostgreSQL does not store: NUL characters and halves of surrogate pairs. */
export const storableText = (text: string): string => text.replaceAll("\0", "").toWellFormed();

const MAX_PREVIEW_LENGTH = 300;

/** Returns the summary of an event for its list. */
export function previewOf(content: WebhookContent): string | null {
  const text = summaryOf(content);
  return text === null ? null : storableText(text).replaceAll(/\s+/g, " ").slice(0, MAX_PREVIEW_LENGTH).toWellFormed();
}

function summaryOf(content: WebhookContent): string | null {
  switch (content.kind) {
    case "message":
      return `${content.channel === "sms" ? "Text message" : "E-mail"} from ${content.from}: ${content.subject ?? content.body}`;
    case "email_feedback":
      return `E-mail ${content.effect}: ${content.addresses.join(", ")}`;
    case "sms_status":
      return `Text message to ${content.to}: ${content.status ?? "on its way"}`;
    default:
      return null;
  }
}
