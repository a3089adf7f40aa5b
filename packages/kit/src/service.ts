/** A service from its parts: database, doors, questions, events, jobs; health while it runs, and a clean end. */
import express from "express";
import { createServer } from "node:http";
import { flushCompileCache } from "node:module";
import { ConfigurationError, type ServiceSettings } from "./config.ts";
import type { Subscriptions } from "./consumer.ts";
import { openDatabase, type DatabaseDefinition } from "./database.ts";
import type { Database } from "./db.ts";
import { serveGrpc, type GrpcDoor } from "./grpc.ts";
import { startEvents } from "./events.ts";
import { health } from "./health.ts";
import { lifecycle, listen } from "./lifecycle.ts";
import { createLogger, requestLog, type Logger, type RequestLine } from "./log.ts";
import { startMetrics } from "./metrics.ts";
import { measure } from "./measures.ts";
import { startSchedule, type Job } from "./schedule.ts";
import { seals, type Seals } from "./scope.ts";
import { fail, serve, type Door } from "./serve.ts";
import { notFound } from "./errors.ts";
import { startTracing } from "./tracing.ts";

/** As long as the gateway gives a caller to send a body, and a little. */
const UPLOAD_MS = 125_000;

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
  /** Where files that are uploaded wait until they are kept. */
  inbox?: string | undefined;
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
  const stopTracing = await startTracing(name, settings.OTEL_EXPORTER_OTLP_ENDPOINT);
  const metrics = await startMetrics(name, settings.HOST, settings.METRICS_PORT);
  const keys = seals(name, settings.ASSERTION_KEY, settings.ASSERTION_PUBLIC_KEYS);
  const database = await openDatabase(definition, databaseUrl, settings.DATABASE_CONNECTIONS);
  const parts = await assemble({ database, seals: keys, log, settings });
  const grpc = await serveGrpc({ door: parts.grpc, address: `${settings.HOST}:${settings.GRPC_PORT}`, database, seals: keys, log, metrics });
  const { subscriptions, jobs } = parts;
  const events = startEvents({ name, url: settings.NATS_URL, replicas: settings.NATS_REPLICAS, database, subscriptions, log, onUnusable: giveUp(name) });
  const schedule = jobs && startSchedule(database, jobs, log);
  measure({ metrics, database, events, probe: parts.probe });

  const life = lifecycle(settings.DRAIN_MS);
  const app = express().disable("x-powered-by").disable("etag").set("query parser", "simple");
  app.use(life.probes);
  app.get("/health", (req, res) => {
    const probe = req.query["deep"] === "true" ? parts.probe : undefined;
    health({ pool: database.pool, events, schemaVersion: database.schemaVersion, isRetiring: life.isRetiring, probe }).then(
      (answer) => res.status(answer.status === "down" ? 503 : 200).json(answer),
      (error: unknown) => fail(res, error, log),
    );
  });
  app.use(life.sayGoodbye);
  const logLine = requestLog(name, settings.LOG_LEVEL);
  const logRequest = (line: RequestLine) => {
    logLine(line);
    metrics.request(line);
  };
  app.use(serve({ doors: parts.doors, database, seals: keys, log, logRequest, validateResponses: settings.VALIDATE_RESPONSES, inbox: parts.inbox }));
  app.use((_req, res) => fail(res, notFound("Operation"), log));
  app.use((error: unknown, _req: express.Request, res: express.Response, _next: express.NextFunction) => fail(res, error, log));
  const http = await listen(
    createServer({ keepAliveTimeout: 65_000, headersTimeout: 60_000, requestTimeout: UPLOAD_MS }, app),
    settings.HOST,
    settings.HTTP_PORT,
  );

  return {
    httpPort: http.port,
    grpcPort: grpc.port,
    stop: async () => {
      grpc.retire();
      await life.retire();
      await Promise.all([http.close(), schedule?.stop(), events.stop(), grpc.close()]);
      await Promise.all([database.close(), metrics.close(), stopTracing()]);
    },
  };
}

const MISCONFIGURED = 78;

/** Ends the process with the sentence that says what must be set right. */
export const giveUp =
  (name: string) =>
  (error: ConfigurationError): never => {
    process.stderr.write(`freehold-${name} cannot start: ${error.message}\n`);
    process.exit(MISCONFIGURED);
  };

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
    if (error instanceof ConfigurationError) return giveUp(name)(error);
    process.stderr.write(`freehold-${name} failed to start: ${String((error as Error).stack ?? error)}\n`);
    process.exit(1);
  }
  // Many files, the first time: nobody is to wait for them once we say that we are there.
  flushCompileCache();
  process.send?.("ready");
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
