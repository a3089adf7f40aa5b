import { startService } from "@freehold/kit/runtime/service";
import { clients } from "./clients.ts";
import { communicationsGrpc } from "./communications.grpc.ts";
import { config } from "./config.ts";
import { database } from "./database.ts";
import { devOutbox } from "./messages/dev-outbox.ts";
import { smtpMailer } from "./messages/mailer.ts";
import { DELIVER_QUEUED, deliverQueued, type PostOffice } from "./messages/messages.ts";
import { messagesHttp } from "./messages/messages.routes.ts";
import { notificationsHttp } from "./notifications/notifications.routes.ts";
import { subscriptions } from "./subscriptions.ts";

export function start() {
  const settings = config();
  return startService({
    name: "communications",
    database,
    databaseUrl: settings.COMMUNICATIONS_DATABASE_URL,
    settings,
    assemble: ({ database: { pool }, assertions, log }) => {
      const outbox = settings.DEV_OUTBOX && !settings.SMTP_URL ? devOutbox(pool) : undefined;
      const postOffice: PostOffice = { from: settings.MAIL_FROM, mailer: settings.SMTP_URL ? smtpMailer(settings.SMTP_URL, log) : undefined, outbox };
      return {
        routes: [notificationsHttp, messagesHttp(outbox)],
        grpc: communicationsGrpc(postOffice),
        subscriptions: subscriptions(clients({ identity: settings.IDENTITY_GRPC }, assertions)),
        jobs: { [DELIVER_QUEUED]: (db) => deliverQueued(db, postOffice) },
      };
    },
  });
}
