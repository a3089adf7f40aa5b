/** A service from its parts: database, doors, questions, events, jobs; health while it runs, and a clean end. */
import express from "express";
import { createServer, type Server } from "node:http";
import { flushCompileCache } from "node:module";
import { ConfigurationError, type ServiceSettings } from "./config.ts";
import { startConsumer, type Subscriptions } from "./consumer.ts";
import { openDatabase, type DatabaseDefinition } from "./database.ts";
import type { Database } from "./db.ts";
import { serveGrpc, type GrpcDoor } from "./grpc.ts";
import { createLogger, requestLog, type Logger } from "./log.ts";
import { connectBus, type Bus } from "./nats.ts";
import { startRelay, type Relay } from "./relay.ts";
import { startSchedule, type Job } from "./schedule.ts";
import { seals, type Seals } from "./scope.ts";
import { fail, serve, type Door } from "./serve.ts";
import { notFound } from "./errors.ts";

/** What a service's parts may need from each other. */
export interface Core {
  database: Database;
  seals: Seals;
  log: Logger;
  settings: ServiceSettings;
}

export interface Parts {
  doors: readonly Door[];
  grpc?: GrpcDoor;
  subscriptions?: Subscriptions;
  jobs?: Record<string, Job>;
  /** Asked by the health check when it looks deeper: what is wrong, if anything. */
  probe?: () => Promise<string | undefined>;
}

export interface ServiceDefinition {
  name: string;
  database: DatabaseDefinition;
  databaseUrl: string;
  settings: ServiceSettings;
  assemble: (core: Core) => Parts | Promise<Parts>;
}

export interface Running {
  httpPort: number;
  grpcPort: number;
  stop(): Promise<void>;
}

/** Starts everything and answers once the service can be asked. */
export async function startService({ name, database: definition, databaseUrl, settings, assemble }: ServiceDefinition): Promise<Running> {
  const log = createLogger(name, settings.LOG_LEVEL);
  const keys = seals(name, settings.ASSERTION_KEY, settings.ASSERTION_PUBLIC_KEYS);
  const database = await openDatabase(definition, databaseUrl, settings.DATABASE_CONNECTIONS);
  const parts = await assemble({ database, seals: keys, log, settings });
  const grpc = await serveGrpc({ door: parts.grpc, address: `${settings.HOST}:${settings.GRPC_PORT}`, database, seals: keys, log });
  const later = startWhenBusAnswers(name, settings.NATS_URL, database, parts, log);
  const schedule = parts.jobs && startSchedule(database, parts.jobs, log);

  const app = express().disable("x-powered-by").disable("etag").set("query parser", "simple");
  let isRetiring = false;
  app.get("/health", (req, res) => {
    health({
      database,
      later: later.current,
      schemaVersion: database.schemaVersion,
      isRetiring,
      probe: req.query["deep"] === "true" ? parts.probe : undefined,
    }).then(
      (answer) => res.status(answer.status === "down" ? 503 : 200).json(answer),
      (error: unknown) => fail(res, error, log),
    );
  });
  app.use(
    serve({ doors: parts.doors, database, seals: keys, log, logRequest: requestLog(name, settings.LOG_LEVEL), validateResponses: settings.VALIDATE_RESPONSES }),
  );
  app.use((_req, res) => fail(res, notFound("Operation"), log));
  app.use((error: unknown, _req: express.Request, res: express.Response, _next: express.NextFunction) => fail(res, error, log));
  const http = await listen(createServer({ keepAliveTimeout: 65_000, headersTimeout: 10_000, requestTimeout: 30_000 }, app), settings.HOST, settings.HTTP_PORT);

  return {
    httpPort: http.port,
    grpcPort: grpc.port,
    stop: async () => {
      isRetiring = true;
      grpc.retire();
      await Promise.all([http.close(), schedule?.stop(), later.stop(), grpc.close()]);
      await database.close();
    },
  };
}

interface Later {
  bus: Bus;
  relay: Relay;
}

/** Events start when NATS answers; requests do not wait for it. */
function startWhenBusAnswers(name: string, url: string, database: Database, parts: Parts, log: Logger) {
  let stop = async () => {};
  const holder: { current: Later | undefined; stop(): Promise<void> } = { current: undefined, stop: () => stop() };
  void connectBus(url, `freehold-${name}`)
    .then((bus) => {
      const relay = startRelay(database.pool, bus, log);
      database.nudge = () => relay.nudge();
      const consumer = parts.subscriptions && startConsumer(name, database, bus, parts.subscriptions, log);
      holder.current = { bus, relay };
      stop = async () => {
        await consumer?.stop();
        await relay.stop();
        await bus.connection.close();
      };
    })
    .catch((error: unknown) => log.error({ err: error }, "NATS cannot be used"));
  return holder;
}

async function health({
  database,
  later,
  schemaVersion,
  isRetiring,
  probe,
}: {
  database: Database;
  later: Later | undefined;
  schemaVersion: string;
  isRetiring: boolean;
  probe: Parts["probe"] | undefined;
}) {
  const started = performance.now();
  const isDatabaseUp = await database.pool.query("select 1").then(
    () => true,
    () => false,
  );
  const latencyMs = Math.round((performance.now() - started) * 10) / 10;
  const outboxBacklog = isDatabaseUp && later ? await later.relay.backlog().catch(() => -1) : -1;
  const isBusUp =
    later !== undefined &&
    !later.bus.connection.isClosed() &&
    (await later.bus.connection.rtt().then(
      () => true,
      () => false,
    ));
  const problem = isDatabaseUp && probe ? await probe() : undefined;
  return {
    status: !isDatabaseUp || isRetiring || problem ? "down" : isBusUp ? "ok" : "degraded",
    postgres: { isUp: isDatabaseUp, latencyMs },
    nats: { isUp: isBusUp },
    outboxBacklog,
    schemaVersion,
    ...(problem && { problem }),
  };
}

async function listen(server: Server, host: string, port: number): Promise<{ port: number; close(): Promise<void> }> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        const force = setTimeout(() => server.closeAllConnections(), 10_000);
        server.close(() => {
          clearTimeout(force);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

/**
 * Runs a process until it is told to end: SIGTERM, SIGINT, or the launcher that started it is gone. A wrong setting
 * ends it with one sentence.
 */
export async function runProcess(name: string, start: () => Promise<{ stop(): Promise<void> }>): Promise<void> {
  process.title = `freehold-${name}`;
  let running: { stop(): Promise<void> };
  try {
    running = await start();
  } catch (error) {
    process.stderr.write(
      error instanceof ConfigurationError
        ? `freehold-${name} cannot start: ${error.message}\n`
        : `freehold-${name} failed to start: ${String((error as Error).stack ?? error)}\n`,
    );
    process.exit(error instanceof ConfigurationError ? 78 : 1);
  }
  process.send?.("ready");
  setImmediate(() => flushCompileCache());
  let isEnding = false;
  const end = () => {
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => process.exit(1), 15_000).unref();
    running.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  if (process.send) process.on("disconnect", end);
}
