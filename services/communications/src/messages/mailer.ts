/** The one place that knows the mail client. */
import type { Logger } from "@freehold/kit/observability/log";
import nodemailer from "nodemailer";

export interface Mail {
  id: string;
  to: string;
  from: string;
  subject: string;
  text: string;
  html: string | null;
}

/** `delayed` may be tried again, `failed` was refused for good. */
export type SendResult = { status: "sent"; error: null } | { status: "failed" | "delayed"; error: string };

export interface Mailer {
  /** Hands one mail to the server; never throws. */
  send(mail: Mail): Promise<SendResult>;
  close(): void;
}

interface SmtpError {
  code?: string;
  responseCode?: number;
}

/** What a failure means: the server's final no to this mail, or trouble that may pass. */
function outcomeOf({ code, responseCode }: SmtpError): SendResult {
  const isAboutTheMail = code === "EENVELOPE" || code === "EMESSAGE";
  if (isAboutTheMail && (responseCode === undefined || responseCode >= 500))
    return { status: "failed", error: `rejected${responseCode ? `_${responseCode}` : ""}` };
  return { status: "delayed", error: responseCode ? `delayed_${responseCode}` : "unreachable" };
}

/** Sends through a mail server over a few connections that stay open. A mail that is sent again bears the same Message-ID. */
export function smtpMailer(url: string, log: Logger): Mailer {
  const transport = nodemailer.createTransport({
    pool: true,
    url,
    maxConnections: 5,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 15_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ id, to, from, subject, text, html }) {
      const domain = /@([\w.-]+)/.exec(from)?.[1] ?? "freehold.local";
      try {
        await transport.sendMail({
          messageId: `<${id}@${domain}>`,
          from,
          to: { name: "", address: to },
          subject,
          text,
          ...(html !== null && { html }),
          headers: { "Auto-Submitted": "auto-generated" },
        });
        return { status: "sent", error: null };
      } catch (error) {
        const outcome = outcomeOf(error as SmtpError);
        log.warn({ err: error, messageId: id, outcome: outcome.error }, "a mail could not be sent");
        return outcome;
      }
    },
    close: () => transport.close(),
  };
}
