import { createLogger, requestLog } from "@freehold/kit/log";
import { connectBus, type Bus } from "@freehold/kit/nats";
import { seals } from "@freehold/kit/scope";
import express from "express";
import { createServer } from "node:http";
import { authenticator as createAuthenticator } from "./authenticate.ts";
import { config } from "./config.ts";
import { documents } from "./documents.ts";
import { forwarder } from "./forward.ts";
import { gateway } from "./gateway.ts";
import { getHealth, getVersion } from "./health.ts";
import { startHub, type Hub } from "./hub.ts";
import { limiter } from "./limits.ts";
import { pages } from "./pages.ts";
import { eventStreams } from "./stream.ts";

/** Composes the gateway and listens. Events follow when NATS answers; requests do not wait for it. */
export async function start(): Promise<{ stop(): Promise<void> }> {
  const settings = config();
  const log = createLogger("gateway", settings.LOG_LEVEL);
  const origins = {
    identity: settings.IDENTITY_URL,
    portfolio: settings.PORTFOLIO_URL,
    ledger: settings.LEDGER_URL,
    communications: settings.COMMUNICATIONS_URL,
    imports: settings.IMPORTS_URL,
  };
  const authenticator = createAuthenticator(origins.identity, settings.PUBLIC_URL);
  let source: { hub: Hub; bus: Bus } | undefined;
  void connectBus(settings.NATS_URL, "freehold-gateway").then(
    (bus) => {
      source = { bus, hub: startHub(bus, log) };
    },
    (error: unknown) => log.error({ err: error }, "NATS cannot be used"),
  );
  const streams = eventStreams({
    authenticator,
    events: () => source,
    limits: { perUser: settings.STREAMS_PER_USER, perOrganization: settings.STREAMS_PER_ORGANIZATION },
    log,
  });
  const app = gateway({
    log,
    logRequest: requestLog("gateway", settings.LOG_LEVEL),
    authenticator,
    seals: seals("gateway", settings.ASSERTION_KEY, settings.ASSERTION_PUBLIC_KEYS),
    limiter: limiter(settings.RATE_LIMIT_PER_SECOND, settings.RATE_LIMIT_BURST),
    forward: forwarder(origins),
    own: { getHealth: getHealth(origins), getVersion: getVersion(origins), streamEvents: streams.handler },
    pages: express.Router().use(documents(settings.PUBLIC_URL), pages()),
  });
  const server = createServer({ keepAliveTimeout: 65_000, headersTimeout: 10_000, requestTimeout: 120_000, connectionsCheckingInterval: 5_000 }, app);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(settings.PORT, settings.HOST, resolve);
  });
  return {
    stop: async () => {
      streams.stop();
      source?.hub.stop();
      const force = setTimeout(() => server.closeAllConnections(), 10_000);
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeIdleConnections();
      });
      clearTimeout(force);
      await source?.bus.connection.close();
    },
  };
}
