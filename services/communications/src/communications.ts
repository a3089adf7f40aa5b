import { startService } from "@freehold/kit/runtime/service";
import { suppressionRoutes } from "./recipients/suppressions.ts";
import { SEND_BLASTS } from "./blasts/blast-events.ts";
import { blastRoutes } from "./blasts/blasts.routes.ts";
import { sendBlasts } from "./blasts/send-blasts.ts";
import { createTranslator } from "./blasts/translator.ts";
import { createClients } from "./clients.ts";
import { communicationsService } from "./communications.grpc.ts";
import { config } from "./config.ts";
import { database as definition } from "./database.ts";
import { smtpMailer } from "./messages/mailer.ts";
import { conversationRoutes } from "./conversations/conversations.routes.ts";
import { mediaFetcher } from "./conversations/files/fetch-media.ts";
import { replyAddresses } from "./conversations/reply-addresses.ts";
import { dkimKeyVault } from "./email-accounts/dkim-key.ts";
import { dnsLookUp } from "./email-accounts/dns-lookup.ts";
import { emailAccountRoutes } from "./email-accounts/email-accounts.routes.ts";
import { CHECK_EMAIL_ACCOUNTS, checkEmailAccounts } from "./email-accounts/verify-email-account.ts";
import { DELETE_MESSAGES, deleteMessages } from "./messages/delete-messages.ts";
import { DELIVER_QUEUED, deliverQueued } from "./messages/deliver-messages.ts";
import { registerMessageCounter } from "./messages/message-metrics.ts";
import { messageRoutes } from "./messages/messages.routes.ts";
import { smsProvider, type SmsProviderSettings } from "./messages/sms/sms-provider.ts";
import type { MessageTransports } from "./messages/transports.ts";
import { FAN_OUT_NOTIFICATIONS } from "./notifications/collection/collect-events.ts";
import { fanOutNotifications } from "./notifications/collection/fan-out.ts";
import { deliverNotifications } from "./notifications/deliveries/deliver-notifications.ts";
import { deleteNotifications } from "./notifications/deliveries/delete-notifications.ts";
import { DELETE_NOTIFICATIONS, DELIVER_NOTIFICATIONS } from "./notifications/deliveries/delivery-context.ts";
import { notificationRoutes } from "./notifications/notifications.routes.ts";
import { subscriptions } from "./subscriptions.ts";
import { PROCESS_WEBHOOKS, processEvents } from "./webhooks/processing/process-events.ts";
import { PROCESS_FILES, processFiles } from "./webhooks/processing/process-files.ts";
import { ROUTE_WEBHOOKS } from "./webhooks/receive-webhook.ts";
import { createReceivers } from "./webhooks/receivers.ts";
import { routeReceipts } from "./webhooks/route-receipts.ts";
import { webhookRoutes } from "./webhooks/webhooks.routes.ts";

/** Starts communications: its routes, gRPC service, event subscriptions and jobs. */
export function start() {
  const settings = config();
  return startService({
    name: "communications",
    database: definition,
    databaseUrl: settings.COMMUNICATIONS_DATABASE_URL,
    settings,
    assemble: ({ database, assertions, log, metrics }) => {
      const sms = configuredSmsProvider(settings);
      const fetchMedia = mediaFetcher(sms, settings.SMS_MEDIA_HOSTS.split(/[\s,]+/));
      const authenticationServer = settings.EMAIL_INBOUND_AUTHSERV_ID;
      const devOutbox = settings.DEV_OUTBOX && !settings.SMTP_URL ? { pool: database.pool } : undefined;
      const vault = dkimKeyVault(Buffer.from(settings.COMMUNICATIONS_ENCRYPTION_KEY, "base64"));
      // Without a receiver of e-mails, replies to these addresses would be lost.
      const receivesEmails = settings.EMAIL_INBOUND_WEBHOOK_SECRET !== undefined || settings.CLOUD_EMAIL_TOPIC_ARN !== undefined;
      const replies = receivesEmails ? replyAddresses(Buffer.from(settings.COMMUNICATIONS_ENCRYPTION_KEY, "base64")) : undefined;
      const lookUp = dnsLookUp(settings.DNS_SERVERS?.split(","));
      const transports: MessageTransports = {
        from: settings.MAIL_FROM,
        mailer: settings.SMTP_URL ? smtpMailer(settings.SMTP_URL, log) : undefined,
        sms: sms && smsProvider(sms, log),
        devOutbox,
        vault,
        replyAddresses: replies,
        count: registerMessageCounter(metrics),
      };
      const clients = createClients({ identity: settings.IDENTITY_GRPC, portfolio: settings.PORTFOLIO_GRPC }, assertions);
      const translate = createTranslator({ url: settings.TRANSLATION_URL, key: settings.TRANSLATION_KEY });
      const kept = { keptDays: settings.WEBHOOK_EVENT_DAYS, idDays: settings.WEBHOOK_ID_DAYS, log };
      const receiving = { database, receivers: createReceivers(settings), ...kept };
      const routing = {
        database,
        clients,
        mailFrom: settings.MAIL_FROM,
        replyAddresses: replies,
        hosts: settings.CLOUD_NOTIFICATION_CERT_HOSTS,
        ...kept,
      };
      return {
        routes: [
          webhookRoutes(receiving),
          blastRoutes({ clients, translate }),
          emailAccountRoutes({ clients, transports, vault, lookUp }),
          ...notificationRoutes,
          messageRoutes(devOutbox),
          suppressionRoutes,
          ...conversationRoutes({ clients, transports }),
        ],
        grpc: communicationsService({ clients, transports }),
        subscriptions: subscriptions(clients, settings.NOTIFICATION_WINDOW_MINUTES),
        jobs: {
          [DELIVER_QUEUED]: (db) => deliverQueued(db, transports, clients),
          [SEND_BLASTS]: (db) => sendBlasts(db, { clients, transports, translate }),
          [CHECK_EMAIL_ACCOUNTS]: (db) => checkEmailAccounts(db, lookUp),
          [FAN_OUT_NOTIFICATIONS]: (db) => fanOutNotifications(db, clients),
          [DELETE_MESSAGES]: (db) => deleteMessages(db, Math.max(settings.MESSAGE_DAYS, settings.NOTIFICATION_DAYS)),
          [DELETE_NOTIFICATIONS]: (db) => deleteNotifications(db, settings.NOTIFICATION_DAYS),
          [DELIVER_NOTIFICATIONS]: (db) => deliverNotifications(db, { clients, transports }),
          [ROUTE_WEBHOOKS]: (db) => routeReceipts(db, routing),
          [PROCESS_WEBHOOKS]: (db) => processEvents(db, { clients, replyAddresses: replies, authenticationServer, ...kept }),
          [PROCESS_FILES]: (db) => processFiles(db, { clients, fetchMedia, authenticationServer, log }),
        },
      };
    },
  });
}

/** Returns the settings of the SMS provider, or undefined without them. Its status reports need a public URL. */
function configuredSmsProvider(settings: ReturnType<typeof config>): SmsProviderSettings | undefined {
  const { SMS_PROVIDER_URL: url, SMS_PROVIDER_ACCOUNT_ID: accountId, SMS_PROVIDER_AUTH_TOKEN: authToken, SMS_PROVIDER_FROM: from, PUBLIC_URL } = settings;
  if (!accountId || !authToken || !from) return undefined;
  const statusUrl = PUBLIC_URL.startsWith("https://") ? `${PUBLIC_URL}/api/webhooks/sms/status` : undefined;
  return { url, accountId, authToken, from, statusUrl };
}
