/** Starts and stops a service: its database, HTTP and gRPC servers, events, jobs, health and metrics. */
import express from "express";
import { createServer } from "node:http";
import { createAssertions, type Assertions } from "../auth/assertion.ts";
import { readProcessKeys } from "../auth/keys.ts";
import type { ServiceSettings } from "../config.ts";
import { openDatabase, type DatabaseDefinition } from "../db/database.ts";
import type { Database } from "../db/org-db.ts";
import { notFound } from "../errors.ts";
import { busOptions } from "../events/connection.ts";
import { startEvents } from "../events/event-bus.ts";
import type { Subscriptions } from "../events/subscriptions.ts";
import { keepAlive } from "../http/keep-alive.ts";
import { sendError } from "../http/respond.ts";
import { createRouter, type RouterOptions, type Routes } from "../http/routes.ts";
import { startScheduler, type Job } from "../jobs/scheduler.ts";
import { createLogger, requestLog, type Logger, type RequestLine } from "../observability/log.ts";
import { startMetrics, type Metrics } from "../observability/metrics.ts";
import { startTracing } from "../observability/tracing.ts";
import { startGrpcServer, type GrpcService } from "../rpc/grpc.ts";
import { health } from "./health.ts";
import { lifecycle, listen } from "./lifecycle.ts";
import { exitMisconfigured } from "./process.ts";
import { registerServiceMetrics } from "./service-metrics.ts";

/** Slightly longer than the gateway's time limit for uploads. */
const UPLOAD_MS = 125_000;

/** Dependencies of a service's parts. */
export interface ServiceCore {
  database: Database;
  assertions: Assertions;
  log: Logger;
  settings: ServiceSettings;
  metrics: Pick<Metrics, "counter">;
}

export interface ServiceParts {
  routes: readonly Routes[];
  grpc?: GrpcService;
  subscriptions?: Subscriptions;
  jobs?: Record<string, Job>;
  /** Directory of uploads until their operation stores them. */
  uploadDir?: string | undefined;
  /** Returns the bytes that an organization may upload; undefined for no limit. */
  uploadCapacity?: RouterOptions["uploadCapacity"];
  /** Checks the consistency of the stored data, for the deep health check. Returns a description of the problem, if any. */
  integrityCheck?: () => Promise<string | undefined>;
}

export interface ServiceDefinition {
  name: string;
  database: DatabaseDefinition;
  databaseUrl: string;
  settings: ServiceSettings;
  assemble: (core: ServiceCore) => ServiceParts | Promise<ServiceParts>;
}

export interface RunningService {
  httpPort: number;
  grpcPort: number;
  stop(): Promise<void>;
}

/** Starts a service and resolves once it accepts requests. */
export async function startService({ name, database: definition, databaseUrl, settings, assemble }: ServiceDefinition): Promise<RunningService> {
  const log = createLogger(name, settings.LOG_LEVEL);
  const stopTracing = await startTracing(name, settings.OTEL_EXPORTER_OTLP_ENDPOINT);
  const metrics = await startMetrics(name, settings.HOST, settings.METRICS_PORT);
  const keys = readProcessKeys(name, settings.ASSERTION_KEY, settings.ASSERTION_PUBLIC_KEYS);
  const assertions = createAssertions(keys);
  const database = await openDatabase(definition, databaseUrl, settings.DATABASE_CONNECTIONS);
  const {
    routes,
    grpc: service,
    subscriptions,
    jobs,
    uploadDir,
    uploadCapacity,
    integrityCheck,
  } = await assemble({ database, assertions, log, settings, metrics });
  const grpc = await startGrpcServer({ service, address: `${settings.HOST}:${settings.GRPC_PORT}`, database, assertions, log, metrics });
  const onUnusable = exitMisconfigured(name);
  const events = startEvents({ keys, nats: busOptions(settings), database, subscriptions, log, onUnusable });
  const scheduler = jobs && startScheduler(database, jobs, log);
  registerServiceMetrics({ metrics, database, events, scheduler, integrityCheck });

  const life = lifecycle(settings.DRAIN_MS);
  const app = express().disable("x-powered-by").disable("etag").set("query parser", "simple");
  app.use(life.probes);
  app.get("/health", (req, res) => {
    const deepCheck = req.query["deep"] === "true" ? integrityCheck : undefined;
    health({ pool: database.pool, events, schemaVersion: database.schemaVersion, isDraining: life.isDraining, integrityCheck: deepCheck }).then(
      (report) => res.status(report.status === "down" ? 503 : 200).json(report),
      (error: unknown) => sendError(res, error, log),
    );
  });
  app.use(life.closeWhileDraining);
  const logLine = requestLog(name, settings.LOG_LEVEL);
  const logRequest = (line: RequestLine) => {
    logLine(line);
    metrics.request(line);
  };
  app.use(createRouter(routes, { database, assertions, log, logRequest, validateResponses: settings.VALIDATE_RESPONSES, uploadDir, uploadCapacity }));
  app.use((_req, res) => sendError(res, notFound("Operation"), log));
  app.use((error: unknown, _req: express.Request, res: express.Response, _next: express.NextFunction) => sendError(res, error, log));
  const http = await listen(createServer({ ...keepAlive, headersTimeout: 60_000, requestTimeout: UPLOAD_MS }, app), settings.HOST, settings.HTTP_PORT);

  return {
    httpPort: http.port,
    grpcPort: grpc.port,
    stop: async () => {
      grpc.drain();
      await life.drain();
      await Promise.all([http.close(), scheduler?.stop(), events.stop(), grpc.close()]);
      await Promise.all([database.close(), metrics.close(), stopTracing()]);
    },
  };
}
