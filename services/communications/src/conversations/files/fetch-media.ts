/** Pictures of text messages, fetched from the SMS provider. */
import type { SmsProviderSettings } from "../../messages/sms-provider.ts";
import { MAX_FILE_BYTES, type DropReason } from "./inbound-file.rules.ts";

const TIMEOUT_MS = 10_000;

/** Returns the content at the address of a picture, or the reason why it is dropped. Throws while the provider does not respond. */
export type MediaFetcher = (url: string) => Promise<{ content: Buffer } | { dropped: DropReason }>;

/**
 * Creates a function that fetches pictures from the host of the SMS provider alone, over HTTPS, with the credentials of the account. It follows no
 * redirect, and reads at most the maximum size of a file.
 */
export function mediaFetcher(settings: Pick<SmsProviderSettings, "url" | "accountId" | "authToken"> | undefined, timeoutMs = TIMEOUT_MS): MediaFetcher {
  if (!settings) return () => Promise.reject(new Error("The SMS provider is not configured."));
  const { origin } = new URL(settings.url);
  const authorization = `Basic ${Buffer.from(`${settings.accountId}:${settings.authToken}`).toString("base64")}`;
  return async (address) => {
    const url = URL.parse(address);
    if (url?.protocol !== "https:" || url.origin !== origin || url.username !== "" || url.password !== "") return { dropped: "not_available" };
    const response = await fetch(url, { headers: { Authorization: authorization }, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    // Wrong credentials are corrected by the operator.
    if (response.status >= 500 || [401, 403, 429].includes(response.status)) {
      await response.body?.cancel();
      throw new Error(`The SMS provider responded to the request of a picture with ${response.status}.`);
    }
    if (response.status !== 200 || !response.body) {
      await response.body?.cancel();
      return { dropped: "not_available" };
    }
    return readBounded(response.body);
  };
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
