import { ConfigurationError } from "@freehold/kit/config";
import { lifecycle, listen } from "@freehold/kit/runtime/lifecycle";
import { createLogger, requestLog, type Logger, type RequestLine } from "@freehold/kit/observability/log";
import { startMetrics, type Metrics } from "@freehold/kit/observability/metrics";
import { busOptions } from "@freehold/kit/events/connection";
import { connectBus, requireJetStream } from "@freehold/kit/events/nats";
import { keepAlive } from "@freehold/kit/http/keep-alive";
import { sendError } from "@freehold/kit/http/respond";
import { createAssertions } from "@freehold/kit/auth/assertion";
import { readProcessKeys, type ProcessKeys } from "@freehold/kit/auth/keys";
import { exitMisconfigured } from "@freehold/kit/runtime/process";
import { startTracing } from "@freehold/kit/observability/tracing";
import express, { type RequestHandler } from "express";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { authenticator as createAuthenticator } from "./auth/authenticate.ts";
import { tokenChanges, type TokenChanges } from "./auth/token-changes.ts";
import { config, type Config } from "./config.ts";
import { limitConnections } from "./connections/connection-limit.ts";
import { oneAtATime } from "./connections/one-at-a-time.ts";
import { bodyTooSlow, slowClients } from "./connections/slow-clients.ts";
import { crossOrigin } from "./cors.ts";
import { isTrustedProxy } from "./limits/trusted-proxies.ts";
import { forwarder } from "./forwarding/forward.ts";
import { gateway } from "./gateway.ts";
import { getHealth, getVersion } from "./health.ts";
import { startHub } from "./events/hub.ts";
import { replayTurns, type StreamSource } from "./events/replay.ts";
import { rateLimiters } from "./limits/rate-limit.ts";
import { apiDocumentRoutes } from "./pages/api-documents.ts";
import { linkPageRoutes } from "./pages/link-pages.ts";
import { startPageRoutes } from "./pages/start-page.ts";
import { createPeers, type Peers } from "./events/peers.ts";
import { normalizeHead } from "./request-head.ts";
import { eventStreams } from "./events/stream.ts";
import { upstream } from "./forwarding/upstream.ts";

/** Time for which the start waits for the event stream, which tells whose access has ended. */
const MAX_NATS_WAIT_MS = 3_000;

/** Composes the gateway and starts listening. Event streams can be opened once NATS responds; other requests wait for it for three seconds at most. */
export async function start(): Promise<{ stop(): Promise<void> }> {
  const settings = config();
  const log = createLogger("gateway", settings.LOG_LEVEL);
  const stopTracing = await startTracing("gateway", settings.OTEL_EXPORTER_OTLP_ENDPOINT);
  const metrics = await startMetrics("gateway", settings.HOST, settings.METRICS_PORT);
  const life = lifecycle(settings.DRAIN_MS);
  const upstreams = upstreamsOf(settings);
  const changes = tokenChanges();
  const authenticator = createAuthenticator(upstreams.identity, settings.PUBLIC_URL, changes);
  const peers = createPeers();
  const keys = readProcessKeys("gateway", settings.ASSERTION_KEY, settings.ASSERTION_PUBLIC_KEYS);
  const source = connectToEvents(settings, { peers, keys, tokenChanges: changes, log });
  const limiters = rateLimiters(rateLimitsOf(settings), peers);
  const streams = eventStreams({
    rateLimiter: limiters?.user,
    authenticator,
    events: () => source.current,
    limits: { perUser: settings.STREAMS_PER_USER, perOrganization: settings.STREAMS_PER_ORGANIZATION },
    peers,
    log,
  });
  metrics.gauge("freehold_open_streams", "Open event streams", () => streams.count());
  const app = gateway({
    log,
    logRequest: requestRecorder(settings, metrics),
    authenticator,
    assertions: createAssertions(keys),
    rateLimiters: limiters,
    forward: forwarder(upstreams),
    localHandlers: { getHealth: getHealth(upstreams, authenticator), getVersion: getVersion(upstreams), streamEvents: streams.handler },
    pages: pageRoutes(settings),
    crossOrigin: crossOrigin(settings.CORS_ORIGINS),
    life,
    trustedProxies: settings.TRUSTED_PROXIES,
  });
  const slow = slowClients((res) => sendError(res, bodyTooSlow(), log));
  const server = createServer(
    { ...keepAlive, headersTimeout: 10_000, requestTimeout: 120_000, connectionsCheckingInterval: 5_000, highWaterMark: 16_384 },
    oneAtATime((req, res) => {
      normalizeHead(req);
      slow.watch(req, res);
      app(req, res);
    }),
  );
  limitConnections(server, settings.CONNECTIONS_PER_ADDRESS, (address) => isTrustedProxy(settings.TRUSTED_PROXIES, address));
  // Otherwise a gateway that starts would accept tokens whose access has just ended.
  await Promise.race([source.ready, sleep(MAX_NATS_WAIT_MS, undefined, { ref: false })]);
  const http = await listen(server, settings.HOST, settings.PORT);
  return {
    stop: async () => {
      await life.drain();
      peers.leave();
      streams.stop();
      source.stop();
      await http.close();
      slow.stop();
      for (const service of Object.values(upstreams)) service.close();
      await Promise.all([source.current?.bus.connection.close(), metrics.close(), stopTracing()]);
    },
  };
}

/** Creates the routes of the pages for people. */
function pageRoutes({ PUBLIC_URL, SHOW_DEMO_LOGINS, DEV_OUTBOX }: Config): RequestHandler {
  const features = { hasDemo: SHOW_DEMO_LOGINS, hasOutbox: DEV_OUTBOX };
  return express.Router().use(apiDocumentRoutes(PUBLIC_URL, features), startPageRoutes(PUBLIC_URL, features), linkPageRoutes());
}

const rateLimitsOf = ({ RATE_LIMIT_PER_SECOND: perSecond, RATE_LIMIT_BURST: burst, WEBHOOKS_PER_SECOND: webhooksPerSecond }: Config) => ({
  perSecond,
  burst,
  webhooksPerSecond,
});

/** Creates the HTTP clients of the services. */
const upstreamsOf = (settings: Config) => ({
  identity: upstream(settings.IDENTITY_URL),
  portfolio: upstream(settings.PORTFOLIO_URL),
  ledger: upstream(settings.LEDGER_URL),
  communications: upstream(settings.COMMUNICATIONS_URL),
  imports: upstream(settings.IMPORTS_URL),
});

/** Returns the function that logs a request and counts it in the metrics. */
function requestRecorder({ LOG_LEVEL }: Config, metrics: Metrics): (line: RequestLine) => void {
  const log = requestLog("gateway", LOG_LEVEL);
  return (line) => {
    log(line);
    metrics.request(line);
  };
}

/** Connects to NATS in the background. `current` is undefined until then; `ready` resolves when the event stream is read. */
function connectToEvents(settings: Config, { peers, ...hub }: { peers: Peers; keys: ProcessKeys; tokenChanges: TokenChanges; log: Logger }) {
  const { keys, log } = hub;
  const connecting = connectBus(busOptions(settings)).then(async (bus) => {
    await requireJetStream(bus);
    source.current = { bus, keys, hub: startHub({ bus, ...hub }), replayTurns: replayTurns() };
    peers.join(bus);
    await source.current.hub.reading;
  });
  const source: { current: StreamSource | undefined; ready: Promise<void>; stop(): void } = {
    current: undefined,
    ready: connecting.catch(() => undefined),
    stop: () => source.current?.hub.stop(),
  };
  connecting.catch((error: unknown) =>
    error instanceof ConfigurationError ? exitMisconfigured("gateway")(error) : log.error({ err: error }, "NATS cannot be used"),
  );
  return source;
}
