/** Prometheus metrics of a process, on a separate port. Without the port, nothing is recorded. */
import { createServer } from "node:http";
import type pg from "pg";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { ConfigurationError } from "../config.ts";
import type { RequestLine } from "./log.ts";

const DURATION_BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface Metrics {
  request(line: RequestLine): void;
  rpc(method: string, isOk: boolean, ms: number): void;
  /** Registers a gauge that is read at each scrape; with a label, one series for each key of the reading. A scrape omits a gauge whose read fails. */
  gauge(name: string, help: string, read: () => Reading | Promise<Reading>, label?: string): void;
  /** Registers a counter with a label of each name, whose possible values begin at zero. Returns the function that adds one. */
  counter<L extends string>(name: string, help: string, labels: Record<L, readonly string[]>): (values: Record<L, string>) => void;
  /** Measures the wait for connections of a pool. */
  timePool(pool: pg.Pool): void;
  close(): Promise<void>;
}

type Reading = number | undefined | Record<string, number>;

/** Metrics that record nothing. */
export const noMetrics: Metrics = {
  request: () => undefined,
  rpc: () => undefined,
  gauge: () => undefined,
  counter: () => () => undefined,
  timePool: () => undefined,
  close: async () => undefined,
};

export async function startMetrics(service: string, host: string, port: number | undefined): Promise<Metrics> {
  if (port === undefined) return noMetrics;
  const registers = [new Registry()];
  registers[0]!.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registers[0]! });
  const createHistogram = (name: string, help: string, labelNames: string[]) =>
    new Histogram({ name, help, labelNames, buckets: DURATION_BUCKETS_SECONDS, registers });
  const requestDurations = createHistogram("freehold_request_seconds", "Duration of HTTP requests, by operation and status", ["operation", "status"]);
  const callDurations = createHistogram("freehold_rpc_seconds", "Duration of gRPC calls from other services, by method and outcome", ["method", "outcome"]);
  const connectionWaits = createHistogram("freehold_pool_wait_seconds", "Wait for a database connection", []);
  const close = await listen(host, port, registers[0]!);
  return {
    request: ({ operation, status, ms }) => requestDurations.observe({ operation, status }, ms / 1000),
    rpc: (method, isOk, ms) => callDurations.observe({ method, outcome: isOk ? "ok" : "failed" }, ms / 1000),
    gauge: (name, help, read, label) => registerGauge({ name, help, read, label, registers }),
    counter: (name, help, labels) => registerCounter({ name, help, labels, registers }),
    timePool: (pool) => timePool(pool, connectionWaits),
    close,
  };
}

interface GaugeOptions {
  name: string;
  help: string;
  read: () => Reading | Promise<Reading>;
  label: string | undefined;
  registers: Registry[];
}

function registerGauge({ name, help, read, label, registers }: GaugeOptions): void {
  new Gauge({
    name,
    help,
    registers,
    labelNames: label ? [label] : [],
    async collect() {
      const reading = await Promise.resolve(read()).catch(() => undefined);
      this.reset();
      if (typeof reading === "object") for (const [labelValue, value] of Object.entries(reading)) this.set({ [label!]: labelValue }, value);
      else if (reading === undefined) this.remove();
      else this.set(reading);
    },
  });
}

/** Registers a counter with a series at zero for each combination of values, so that an alert sees its first increase. */
function registerCounter<L extends string>({
  name,
  help,
  labels,
  registers,
}: {
  name: string;
  help: string;
  labels: Record<L, readonly string[]>;
  registers: Registry[];
}) {
  const labelNames = Object.keys(labels) as L[];
  const counter = new Counter({ name, help, registers, labelNames });
  let combinations: Partial<Record<L, string>>[] = [{}];
  for (const label of labelNames) combinations = combinations.flatMap((values) => labels[label].map((value) => ({ ...values, [label]: value })));
  for (const values of combinations) counter.inc(values, 0);
  return (values: Record<L, string>) => counter.inc(values);
}

type ConnectCallback = (error: Error | undefined, client: pg.PoolClient | undefined, release: (release?: unknown) => void) => void;

/** Wraps `connect` in both of its forms: the pool's own queries pass a callback, transactions await a promise. */
function timePool(pool: pg.Pool, connectionWaits: Histogram): void {
  const connect = pool.connect.bind(pool) as { (): Promise<pg.PoolClient>; (callback: ConnectCallback): void };
  pool.connect = ((callback?: ConnectCallback) => {
    const stopTimer = connectionWaits.startTimer();
    if (!callback) return connect().finally(() => stopTimer());
    return connect((...results) => {
      stopTimer();
      callback(...results);
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
