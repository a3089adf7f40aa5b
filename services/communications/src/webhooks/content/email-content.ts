/** E-mails as the conversations take them. */
import { convert } from "html-to-text";
import { boundFiles, type InboundFile } from "../../conversations/files/inbound-file.rules.ts";
import { parseAddress } from "./address.rules.ts";
import { automaticReason, type EmailHeaders } from "./automatic-email.rules.ts";
import { idsOf } from "./message-ids.ts";
import { replyText } from "./reply-text.rules.ts";
import { readReturnedMail, type DeliveryReport } from "./returned-mail.ts";
import { storableText, type EmailFeedback, type InboundMessage } from "./webhook-content.ts";

/** E-mail as a provider describes it. */
export interface Email {
  /** Sender, as an address or `Name <address>`. */
  from: string;
  to: string[];
  subject: string | null;
  text: string | null;
  html: string | null;
  messageId: string | undefined;
  headers: EmailHeaders;
  files: readonly InboundFile[];
  /** True if the mail server that received it has refuted the sender. */
  isUnverified?: boolean;
  /** Report of a mail server that an e-mail could not be delivered. */
  report?: DeliveryReport | undefined;
}

const MAX_HTML_LENGTH = 196_608;
const MAX_SOURCE_TEXT_LENGTH = 262_144;
const MAX_RECIPIENTS = 50;
const MAX_REFERENCES = 50;

/** Returns an e-mail as a message, or as the bounce that it reports. Undefined without a sender. */
export const readEmail = (email: Email, providerEventId: string): InboundMessage | EmailFeedback | undefined =>
  (email.report && readReturnedMail(email.report, answeredIds(email.headers))) ?? emailMessage(email, providerEventId);

/** Returns the `Message-ID`s of the e-mails that an e-mail answers, the latest last. */
const answeredIds = (headers: EmailHeaders): string[] =>
  [...idsOf(headers.get("references") ?? ""), ...idsOf(headers.get("in-reply-to") ?? "")].slice(-MAX_REFERENCES);

/** Returns a message identified by its `Message-ID`, or else by the id of the event. Undefined without a sender. */
function emailMessage(email: Email, providerEventId: string): InboundMessage | undefined {
  const from = parseAddress(email.from);
  if (from === undefined) return undefined;
  const reply = replyText(
    storableText(email.text?.trim() ? email.text : textOfHtml(email.html))
      .slice(0, MAX_SOURCE_TEXT_LENGTH)
      .toWellFormed(),
  );
  const messageId = idsOf(email.messageId ?? email.headers.get("message-id") ?? "")[0];
  return {
    kind: "message",
    channel: "email",
    from,
    to: email.to.flatMap((each) => parseAddress(each) ?? []).slice(0, MAX_RECIPIENTS),
    subject: email.subject === null ? null : storableText(email.subject),
    body: reply.text,
    externalId: messageId ?? providerEventId,
    ...(messageId !== undefined && { emailMessageId: messageId }),
    inReplyTo: answeredIds(email.headers),
    metadata: reply.isCut ? { hasQuote: true } : {},
    ...(email.isUnverified && { isUnverified: true }),
    automaticReason: automaticReason(from, email.headers),
    deliveredTo: [...email.to, ...forwardingHeaders.flatMap((name) => email.headers.get(name) ?? [])]
      .flatMap((each) => parseAddress(each) ?? [])
      .slice(0, MAX_RECIPIENTS + forwardingHeaders.length),
    files: boundFiles(email.files),
  };
}

/** Headers in which mail servers name the address of delivery when it is not among the recipients. */
const forwardingHeaders = ["delivered-to", "x-original-to", "x-forwarded-to", "envelope-to"];

/** Returns the text of an HTML e-mail, of bounded length and depth. */
function textOfHtml(html: string | null): string {
  if (html === null) return "";
  return convert(html.slice(0, MAX_HTML_LENGTH), {
    wordwrap: false,
    limits: { maxDepth: 50, maxChildNodes: 2_000, maxInputLength: MAX_HTML_LENGTH },
    selectors: [
      { selector: "img", format: "skip" },
      { selector: "blockquote", format: "skip" },
      { selector: "a", options: { hideLinkHrefIfSameAsText: true } },
    ],
  });
}
