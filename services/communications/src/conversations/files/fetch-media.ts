/** Pictures of text messages, fetched from the SMS provider. */
import type { SmsProviderSettings } from "../../messages/sms/sms-provider.ts";
import { MAX_FILE_BYTES, type DropReason } from "./inbound-file.rules.ts";

const TIMEOUT_MS = 10_000;

/** Returns the content at the address of a picture, or the reason why it is dropped. Throws while the provider does not respond. */
export type MediaFetcher = (url: string) => Promise<{ content: Buffer } | { dropped: DropReason }>;

/**
 * Creates a function that fetches pictures from the host of the SMS provider, over HTTPS, with the credentials of the account. It follows one redirect,
 * to one of the hosts that keep the provider's pictures (`host` or `host:port`), without the credentials, and reads at most the maximum size of a file.
 * The time limit includes the redirect.
 */
export function mediaFetcher(
  settings: Pick<SmsProviderSettings, "url" | "accountId" | "authToken"> | undefined,
  mediaHosts: readonly string[],
  timeoutMs = TIMEOUT_MS,
): MediaFetcher {
  if (!settings) return () => Promise.reject(new Error("The SMS provider is not configured."));
  const { origin } = new URL(settings.url);
  const headers = { Authorization: `Basic ${Buffer.from(`${settings.accountId}:${settings.authToken}`).toString("base64")}` };
  return async (address) => {
    const url = URL.parse(address);
    if (!isPlainHttps(url) || url.origin !== origin) return { dropped: "not_available" };
    const signal = AbortSignal.timeout(timeoutMs);
    const first = await fetch(url, { headers, redirect: "manual", signal });
    const location = REDIRECTS.includes(first.status) ? URL.parse(first.headers.get("Location") ?? "", url) : null;
    if (location === null) return readResponse(first);
    await first.body?.cancel();
    if (!isPlainHttps(location)) return { dropped: "not_available" };
    // The operator can add the host before the last attempt.
    if (!mediaHosts.includes(location.host)) throw new Error(`The SMS provider redirects to ${location.host}, which is not one of SMS_MEDIA_HOSTS.`);
    return readResponse(await fetch(location, { redirect: "manual", signal }));
  };
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** Tells whether an address is one of HTTPS without credentials. */
const isPlainHttps = (url: URL | null): url is URL => url?.protocol === "https:" && url.username === "" && url.password === "";

async function readResponse({ status, body }: Response): Promise<{ content: Buffer } | { dropped: DropReason }> {
  if (status === 200 && body) return readBounded(body);
  await body?.cancel();
  // Wrong credentials are corrected by the operator.
  if (status >= 500 || [401, 403, 429].includes(status)) throw new Error(`The SMS provider responded to the request of a picture with ${status}.`);
  return { dropped: "not_available" };
}

async function readBounded(body: ReadableStream<Uint8Array>): Promise<{ content: Buffer } | { dropped: DropReason }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Leaving the loop ends the download.
    if (size > MAX_FILE_BYTES) return { dropped: "file_too_large" };
    chunks.push(chunk);
  }
  return { content: Buffer.concat(chunks) };
}
