/** Configured transports of messages. */
import { notConfigured } from "@freehold/kit/errors";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import type { ReplyAddresses } from "../conversations/reply-addresses.ts";
import type { DkimKeyVault } from "../email-accounts/dkim-key.ts";
import { resolveSender } from "../email-accounts/sender.ts";
import type { DevOutbox } from "./dev-outbox/dev-outbox.ts";
import type { Mailer } from "./mailer.ts";
import type { CountMessage } from "./message-metrics.ts";
import type { Channel, DeliveryChannel } from "./message.entity.ts";
import type { ConfiguredProviders } from "./message.rules.ts";
import type { SmsProvider } from "./sms/sms-provider.ts";

/** Sender addresses and the configured transports of messages. */
export interface MessageTransports {
  /** Sender of e-mails of organizations without a verified e-mail account. */
  from: string;
  /** Vault of the DKIM keys of e-mail accounts; without it, e-mails are not signed and sent from `from`. */
  vault?: DkimKeyVault | undefined;
  mailer: Mailer | undefined;
  sms?: SmsProvider | undefined;
  devOutbox: DevOutbox | undefined;
  /** Addresses for replies to conversations; undefined where no e-mails are received. */
  replyAddresses?: ReplyAddresses | undefined;
  /** Counts the outcome of an attempt. */
  count?: CountMessage;
}

/** Sender of text messages in the development outbox. */
const OUTBOX_SMS_SENDER = "Freehold";

export const configuredProviders = ({ mailer, sms, devOutbox }: MessageTransports): ConfiguredProviders => ({
  mailServer: mailer !== undefined,
  smsProvider: sms !== undefined,
  devOutbox: devOutbox !== undefined,
});

/** Returns the sender of the organization's messages on a channel, for an e-mail that of the named account or the default one; empty for the portal. */
export async function senderOf(db: StatementRunner, transports: MessageTransports, channel: DeliveryChannel, accountId: string | null = null): Promise<string> {
  if (channel === "in_app") return "";
  return channel === "email" ? (await resolveSender(db, transports, accountId)).from : (transports.sms?.from ?? OUTBOX_SMS_SENDER);
}

const missingSettings: Record<Channel, string> = {
  email: "E-mail is not configured. Ask the operator to set SMTP_URL.",
  sms: "Text messages are not configured. Ask the operator to set SMS_PROVIDER_ACCOUNT_ID, SMS_PROVIDER_AUTH_TOKEN and SMS_PROVIDER_FROM.",
};

/** Throws 503 `not_configured` unless messages can be sent on the channel. */
export function requireTransport(transports: MessageTransports, channel: DeliveryChannel): void {
  const { mailServer, smsProvider, devOutbox } = configuredProviders(transports);
  if (channel === "in_app" || devOutbox || (channel === "email" ? mailServer : smsProvider)) return;
  throw notConfigured(missingSettings[channel]);
}
