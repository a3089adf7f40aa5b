/** Reads the content of a verified event. */
import { parseCloudNotification, type CloudNotification } from "../verification/cloud-notification.rules.ts";
import { formOf } from "../verification/sms-signature.rules.ts";
import type { ReceiverName } from "../receivers.ts";
import { readCloudEmail, readCloudSms } from "./cloud-content.ts";
import { readProviderEmail } from "./provider-email.ts";
import { readSms, readSmsStatus } from "./sms-content.rules.ts";
import { nothing, type WebhookContent } from "./webhook-content.ts";

/** Settings of the reading of content. */
export interface ContentSettings {
  /** Mail server of the e-mail provider, which names itself in the `Authentication-Results` headers that it adds. */
  authenticationServer?: string | undefined;
}

/** Returns the content of an event. An unknown or overly complex format has the content `none` with the reason. */
export async function readContent(
  { receiver, providerEventId }: { receiver: ReceiverName; providerEventId: string },
  body: Buffer,
  { authenticationServer }: ContentSettings = {},
): Promise<WebhookContent> {
  switch (receiver) {
    case "email_inbound":
      return readProviderEmail(parseJson(body), providerEventId, authenticationServer);
    case "email_cloud_inbound":
      return readNotification(body, readCloudEmail);
    case "sms_inbound":
      return readSms(formOf({ body }));
    case "sms_status":
      return readSmsStatus(formOf({ body }));
    case "sms_cloud_inbound":
      return readNotification(body, readCloudSms);
    // Stored and acknowledged only.
    case "payment_provider":
    case "mailbox_push":
      return nothing("stored_only");
  }
}

async function readNotification(body: Buffer, read: (notification: CloudNotification) => WebhookContent | Promise<WebhookContent>): Promise<WebhookContent> {
  const notification = parseCloudNotification(body);
  if (!notification) return nothing("unknown_format");
  if (notification.Type === "SubscriptionConfirmation") return { kind: "subscription" };
  return notification.Type === "Notification" ? read(notification) : nothing("unsubscribed");
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
