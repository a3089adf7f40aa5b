/** SMTP client. */
import type { Logger } from "@freehold/kit/observability/log";
import nodemailer from "nodemailer";
import type { MailSender } from "../email-accounts/sender.ts";
import { isAddressRejection } from "./rejection.rules.ts";

/** E-mail to one recipient. */
export interface Mail extends MailSender {
  id: string;
  to: string;
  /** `Message-ID`, the same for each attempt. */
  messageId: string;
  subject: string;
  text: string;
  html: string | null;
}

/** Result of an attempt. `delayed` may be retried; `failed` is final, for every message to the address if `isAddressRejected`. */
export type SendResult =
  | { status: "sent"; error: null; providerMessageId?: string | null }
  | { status: "failed" | "delayed"; error: string; retryAfterSeconds?: number; isAddressRejected?: boolean };

/** Transport of e-mail. */
export interface Mailer {
  /** Sends one mail. Never throws. */
  send(mail: Mail): Promise<SendResult>;
  close(): void;
}

interface SmtpError {
  code?: string;
  /** Command that the server rejected. */
  command?: string;
  response?: string;
  responseCode?: number;
}

/** Tells whether a status code refuses the account at the mail server, which the operator can correct, whatever the e-mail is. */
const isAccountRefusal = (code: number): boolean => code === 530 || code === 534 || code === 535 || code === 538;

/** Classifies an error: a permanent rejection of the mail is `failed`, any other error is `delayed`. */
function failureResult({ code, command, response = "", responseCode }: SmtpError): SendResult {
  const concernsMail = code === "EENVELOPE" || code === "EMESSAGE";
  if (concernsMail && (responseCode === undefined || (responseCode >= 500 && !isAccountRefusal(responseCode)))) {
    const error = `rejected${responseCode ? `_${responseCode}` : ""}`;
    return { status: "failed", error, ...(command === "RCPT TO" && isAddressRejection(response) && { isAddressRejected: true }) };
  }
  return { status: "delayed", error: responseCode ? `delayed_${responseCode}` : "unreachable" };
}

/** Returns the `Message-ID` of an e-mail, from the message's id and the sender's domain, so that a retry has the same one. */
export const emailMessageId = (id: string, from: string): string => `<${id}@${/@([\w.-]+)/.exec(from)?.[1] ?? "freehold.local"}>`;

/** Maximum number of connections of a mailer, and so of mails on their way at a time. */
export const MAX_CONNECTIONS = 5;

/** Creates a mailer with pooled connections to a mail server. */
export function smtpMailer(url: string, log: Logger): Mailer {
  const transport = nodemailer.createTransport({
    pool: true,
    url,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 15_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ id, to, from, replyTo, returnPath, dkim, messageId, subject, text, html }) {
      try {
        await transport.sendMail({
          messageId,
          from,
          to: { name: "", address: to },
          ...(replyTo !== null && { replyTo }),
          ...(returnPath !== undefined && { envelope: { from: returnPath, to } }),
          ...(dkim && { dkim }),
          subject,
          text,
          ...(html !== null && { html }),
          headers: { "Auto-Submitted": "auto-generated" },
        });
        return { status: "sent", error: null };
      } catch (error) {
        const result = failureResult(error as SmtpError);
        log.warn({ err: error, messageId: id, outcome: result.error }, "an e-mail could not be sent");
        return result;
      }
    },
    close: () => transport.close(),
  };
}
