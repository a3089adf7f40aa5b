/** Confirmation of the subscriptions of topics of the cloud notification service. */
import { confirmationUrl, parseCloudNotification, type CloudHosts } from "./verification/cloud-notification.rules.ts";

const TIMEOUT_MS = 10_000;

/**
 * Confirms the subscription that a verified message asks for, with a URL built from its signed members on an accepted host. Returns the
 * reason why it may not be confirmed, or null. Throws when the service does not respond or refuses.
 */
export async function confirmSubscription(body: Buffer, accepted: CloudHosts, timeoutMs = TIMEOUT_MS): Promise<string | null> {
  const notification = parseCloudNotification(body);
  const url = notification && confirmationUrl(notification, accepted);
  if (!url) return "host_not_accepted";
  const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
  await response.body?.cancel();
  if (response.status !== 200) throw new Error(`${url.host} responded with ${response.status} to the confirmation of a subscription.`);
  return null;
}
