/** Routes of the webhook receivers and of their events. */
import { webhooks } from "@freehold/contract/communications/webhooks";
import { unmatched } from "@freehold/kit/http/respond";
import { routes } from "@freehold/kit/http/routes";
import { isOfSentMessage, receiveWebhook, type ReceiverDependencies } from "./receive-webhook.ts";
import { listWebhookEvents, replayWebhookEvent } from "./webhook-events.ts";

export const webhookRoutes = (dependencies: ReceiverDependencies) =>
  routes(webhooks, {
    receivePaymentProviderWebhook: ({ req, body }) => receiveWebhook(dependencies, "payment_provider", req, body),
    receiveInboundEmailWebhook: ({ req, body }) => receiveWebhook(dependencies, "email_inbound", req, body),
    receiveCloudEmailWebhook: ({ req, body }) => receiveWebhook(dependencies, "email_cloud_inbound", req, body),
    receiveSmsWebhook: ({ req, body }) => receiveWebhook(dependencies, "sms_inbound", req, body),
    receiveSmsStatusWebhook: async ({ req, body }) => {
      const acknowledgement = await receiveWebhook(dependencies, "sms_status", req, body);
      return (await isOfSentMessage(dependencies.database, await body())) ? acknowledgement : unmatched(acknowledgement);
    },
    receiveCloudSmsWebhook: ({ req, body }) => receiveWebhook(dependencies, "sms_cloud_inbound", req, body),
    receiveMailboxPushWebhook: ({ req, body }) => receiveWebhook(dependencies, "mailbox_push", req, body),
    listWebhookEvents: ({ db, query }) => listWebhookEvents(db, query),
    replayWebhookEvent: async ({ db, params }) => ({ webhookEvent: await replayWebhookEvent(db, params.id) }),
  });
