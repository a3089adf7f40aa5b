/** Connection of a process to NATS, as a user of its own and with TLS. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { AuthorizationError, connect, type NatsConnection } from "@nats-io/transport-node";
import { ConfigurationError, type NatsSettings } from "../config.ts";

/** Time limit of an attempt, which would otherwise wait forever for a server that dies before its first response. */
const ATTEMPT_MS = 5_000;
const RETRY_MS = 250;
const JITTER_MS = 100;
const PING_MS = 5_000;

export interface BusOptions {
  /** NATS servers, separated by commas. */
  url: string;
  user: string;
  password: string;
  /** Path of a PEM file with the certificate authority of the servers. TLS is required if it is set or if the URL begins with tls://. */
  ca?: string | undefined;
  /** Number of servers that store each event. */
  replicas?: number;
}

/** Returns the options of the connection from the settings of a process. */
export const busOptions = ({ NATS_URL, NATS_USER, NATS_PASSWORD, NATS_CA, NATS_REPLICAS }: NatsSettings): BusOptions => ({
  url: NATS_URL,
  user: NATS_USER,
  password: NATS_PASSWORD,
  ca: NATS_CA,
  replicas: NATS_REPLICAS,
});

/**
 * Connects as soon as a server responds, and reconnects whenever the connection breaks. Throws a `ConfigurationError` if the first
 * server that responds rejects the credentials, or if its certificate is not valid.
 */
export async function connectToNats({ url, user, password, ca }: BusOptions): Promise<NatsConnection> {
  if (ca !== undefined) requireCertificate(ca);
  const isTlsRequired = ca !== undefined || url.startsWith("tls://");
  for (;;) {
    try {
      return await connect({
        servers: url.split(","),
        name: `freehold-${user}`,
        user,
        pass: password,
        ...(isTlsRequired && { tls: ca === undefined ? {} : { caFile: ca } }),
        // Responses to requests arrive on subjects with this prefix, to which only this user may subscribe.
        inboxPrefix: `_INBOX.${user}`,
        timeout: ATTEMPT_MS,
        maxReconnectAttempts: -1,
        // Credentials that a server rejects later may be accepted again once its configuration is complete.
        ignoreAuthErrorAbort: true,
        reconnectTimeWait: RETRY_MS,
        reconnectJitterTLS: JITTER_MS,
        pingInterval: PING_MS,
      });
    } catch (error) {
      const wrongSetting = wrongSettingOf(error as Error, user);
      if (wrongSetting !== undefined) throw new ConfigurationError(wrongSetting, { cause: error });
      await sleep(RETRY_MS);
    }
  }
}

function requireCertificate(path: string): void {
  try {
    new X509Certificate(readFileSync(path));
  } catch (error) {
    throw new ConfigurationError(`NATS_CA is wrong: ${path} is not a readable PEM file with a certificate.`, { cause: error });
  }
}

/** Returns the message about a wrong setting that makes every attempt to connect fail; undefined if a later attempt may succeed. */
function wrongSettingOf(error: Error & { code?: string }, user: string): string | undefined {
  // The other authorization error is a timeout of a busy server.
  if (error instanceof AuthorizationError && /authorization violation/i.test(error.message))
    return `NATS_USER or NATS_PASSWORD is wrong: the NATS server rejects the credentials of the user ${user}.`;
  if (/CERT|LEAF_SIGNATURE/.test(error.code ?? "")) return `NATS_URL or NATS_CA is wrong: the certificate of the NATS server is not valid: ${error.message}.`;
  if (error.message === "server does not support 'tls'") return "NATS_URL is wrong: the NATS server does not support TLS, which NATS_CA and tls:// require.";
  return undefined;
}
