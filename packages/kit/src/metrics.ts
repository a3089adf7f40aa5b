/** What Prometheus may read of a process, on a port of its own. Without that port nothing is counted. */
import { createServer } from "node:http";
import type pg from "pg";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { ConfigurationError } from "./config.ts";
import type { RequestLine } from "./log.ts";

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface Metrics {
  request(line: RequestLine): void;
  question(name: string, isAnswered: boolean, ms: number): void;
  /** A figure that is looked up when somebody reads it; with a label, one for each of its values. What cannot be read is absent. */
  gauge(name: string, help: string, read: () => Reading | Promise<Reading>, label?: string): void;
  /** Times how long a connection of the pool is waited for. */
  watchPool(pool: pg.Pool): void;
  close(): Promise<void>;
}

type Reading = number | undefined | Record<string, number>;

/** Counts nothing. */
export const unmeasured: Metrics = {
  request: () => undefined,
  question: () => undefined,
  gauge: () => undefined,
  watchPool: () => undefined,
  close: async () => undefined,
};

export async function startMetrics(service: string, host: string, port: number | undefined): Promise<Metrics> {
  if (port === undefined) return unmeasured;
  const registers = [new Registry()];
  registers[0]!.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registers[0]! });
  const timer = (name: string, help: string, labelNames: string[]) => new Histogram({ name, help, labelNames, buckets: SECONDS, registers });
  const requests = timer("freehold_request_seconds", "Requests answered, by operation and status", ["operation", "status"]);
  const questions = timer("freehold_question_seconds", "Questions of other services, by name and outcome", ["question", "outcome"]);
  const waits = timer("freehold_pool_wait_seconds", "Waits for a connection to the database", []);
  const close = await listen(host, port, registers[0]!);
  return {
    request: ({ operation, status, ms }) => requests.observe({ operation, status }, ms / 1000),
    question: (question, isAnswered, ms) => questions.observe({ question, outcome: isAnswered ? "answered" : "failed" }, ms / 1000),
    gauge: (name, help, read, label) => lookUp({ name, help, read, label, registers }),
    watchPool: (pool) => timePool(pool, waits),
    close,
  };
}

interface LookedUp {
  name: string;
  help: string;
  read: () => Reading | Promise<Reading>;
  label: string | undefined;
  registers: Registry[];
}

function lookUp({ name, help, read, label, registers }: LookedUp): void {
  new Gauge({
    name,
    help,
    registers,
    labelNames: label ? [label] : [],
    async collect() {
      const reading = await Promise.resolve(read()).catch(() => undefined);
      this.reset();
      if (typeof reading === "object") for (const [value, figure] of Object.entries(reading)) this.set({ [label!]: value }, figure);
      else if (reading === undefined) this.remove();
      else this.set(reading);
    },
  });
}

type Connected = (error: Error | undefined, client: pg.PoolClient | undefined, release: (release?: unknown) => void) => void;

/** The pool's own queries ask for a connection with a callback, transactions with a promise. */
function timePool(pool: pg.Pool, waits: Histogram): void {
  const connect = pool.connect.bind(pool) as { (): Promise<pg.PoolClient>; (connected: Connected): void };
  pool.connect = ((connected?: Connected) => {
    const end = waits.startTimer();
    if (!connected) return connect().finally(() => end());
    return connect((...answer) => {
      end();
      connected(...answer);
    });
  }) as pg.Pool["connect"];
}

async function listen(host: string, port: number, registry: Registry): Promise<() => Promise<void>> {
  const server = createServer((req, res) => {
    if (req.method !== "GET" || req.url !== "/metrics") {
      res.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => res.writeHead(200, { "Content-Type": registry.contentType }).end(text),
      () => res.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new ConfigurationError(`METRICS_PORT is wrong: ${error.message}.`)));
    server.listen(port, host, resolve);
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}
