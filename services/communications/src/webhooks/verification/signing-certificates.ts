/** Certificates of the cloud notification service, fetched from accepted hosts and cached. */
import { unavailable } from "@freehold/kit/errors";
import { X509Certificate, type KeyObject } from "node:crypto";
import { LRUCache } from "lru-cache";
import pLimit from "p-limit";
import { providerHost } from "./cloud-notification.rules.ts";

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 16_384;
const CACHE_MS = 86_400_000;
const MAX_CERTIFICATES = 64;
const MAX_FETCHES = 4;
const MIN_RSA_BITS = 2_048;

/** Returns the public key of the certificate at an accepted URL; undefined for a certificate that may not sign the topic's messages. Throws 503 while it cannot be fetched. */
export type SigningKeys = (url: URL, topicArn: string, now: Date) => Promise<KeyObject | undefined>;

/** Creates the cache of certificates. Concurrent requests of a URL share one fetch. `requiresName` is false where the operator has listed the hosts. */
export function signingKeys({ requiresName, timeoutMs = TIMEOUT_MS }: { requiresName: boolean; timeoutMs?: number }): SigningKeys {
  const limit = pLimit(MAX_FETCHES);
  const pemsByUrl = new LRUCache<string, Promise<string | undefined>>({ max: MAX_CERTIFICATES, ttl: CACHE_MS });
  return async (url, topicArn, now) => {
    let fetching = pemsByUrl.get(url.href);
    if (!fetching) pemsByUrl.set(url.href, (fetching = limit(() => fetchText(url, timeoutMs))));
    // Only certificates are cached, so that a failure does not last.
    const pem = await fetching.catch((error: unknown) => {
      pemsByUrl.delete(url.href);
      throw unavailable(error);
    });
    const key = pem === undefined ? undefined : usableKey(pem, now, requiresName ? ["sns.amazonaws.com", providerHost(topicArn)] : undefined);
    if (!key) pemsByUrl.delete(url.href);
    return key;
  };
}

/** Returns the RSA key of a certificate that is valid at a time and bears one of the names, or undefined. */
export function usableKey(pem: string, now: Date, names: readonly string[] | undefined): KeyObject | undefined {
  const certificate = parseCertificate(pem);
  if (!certificate || now < certificate.validFromDate || now > certificate.validToDate) return undefined;
  if (names && !names.some((name) => certificate.checkHost(name) !== undefined)) return undefined;
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  return asymmetricKeyType === "rsa" && (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS ? certificate.publicKey : undefined;
}

function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/** Fetches a small text; undefined for a redirect, a refusal and a longer text. Throws when the host does not respond in time or fails. */
async function fetchText(url: URL, timeoutMs: number): Promise<string | undefined> {
  const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
  if (response.status >= 500 || response.status === 429) throw new Error(`${url.host} responded with ${response.status}.`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (response.status === 200 && response.body)
    for await (const chunk of response.body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_BYTES) return undefined;
    }
  else await response.body?.cancel();
  return response.status === 200 ? Buffer.concat(chunks).toString() : undefined;
}
