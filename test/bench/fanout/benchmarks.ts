/** Delivery of one event to thousands of open streams, against a server that only writes the frame. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Envelope } from "@freehold/contract/events";
import { connectAs } from "../../support/events/bus.ts";
import { messageOf } from "../../support/events/messages.ts";
import type { EventBus } from "@freehold/kit/events/nats";
import { anOffice, type Office } from "../../support/office.ts";
import { startWorker, type Worker } from "../worker.ts";
import { residentSetAfterGcKib, withForcedGc } from "../memory.ts";
import { median, runBenchmark, type BenchmarkResult } from "../measure.ts";
import type { Command, Reply } from "../processes/stream-readers.ts";
import { startBenchSystem, type BenchSystem } from "../bench-system.ts";

const STREAMS = Number(process.env["BENCH_STREAMS"] ?? 5_000);
const EVENTS_PER_ROUND = 9;
const LIMIT_KIB_PER_STREAM = 20;

type Readers = Worker<Command, Reply>;
type Streams = Worker<{ frame: string }, { port: number } | { startedAt: number }>;

/** Returns the monotonic clock shared by all processes of the machine, in milliseconds. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

/** Returns an event that is visible to the office and has no consumer with side effects. */
const vendorUpdated = ({ organizationId }: Office): Envelope => ({
  id: randomUUID(),
  type: "vendor.updated",
  organizationId,
  occurredAt: new Date().toISOString(),
  entityType: "vendor",
  entityId: randomUUID(),
  actorUserId: null,
  requestId: null,
  data: {},
  audience: { roles: ["admin", "manager", "staff"], tenantIds: [], ownerIds: [], vendorIds: [], userIds: [] },
});

/** Measures the time from the publication of an event until the last reader receives it. */
async function gatewayDelay(readers: Readers, { bus, dataDir }: { bus: EventBus; dataDir: string }, office: Office): Promise<number> {
  const event = vendorUpdated(office);
  await readers.request({ expect: { group: "gateway", marker: event.entityId } });
  const arrived = readers.next<{ lastAt: number }>();
  const { subject, payload, headers } = messageOf(event, dataDir);
  const startedAt = now();
  bus.connection.publish(subject, payload, { headers });
  return (await arrived).lastAt - startedAt;
}

/** Measures the time from the first `res.write` of the same frame until the last reader receives it. */
async function baselineDelay(readers: Readers, streams: Streams, office: Office): Promise<number> {
  const event = vendorUpdated(office);
  await readers.request({ expect: { group: "bare", marker: event.entityId } });
  const arrived = readers.next<{ lastAt: number }>();
  const { audience: _, ...visible } = event;
  const { startedAt } = await streams.request<{ startedAt: number }>({ frame: `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(visible)}\n\n` });
  return (await arrived).lastAt - startedAt;
}

async function medianOf(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  while (times.length < EVENTS_PER_ROUND) {
    times.push(await measure());
    await sleep(50);
  }
  return median(times);
}

function assertOpenFileLimit(pid: number): void {
  const [, soft] = /Max open files\s+(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, "utf8"))!;
  const needed = STREAMS * 2 + 200;
  if (Number(soft) < needed) throw new Error(`The limit of open files is ${soft}; ${STREAMS} streams need ${needed}. Raise the limit: ulimit -n ${needed}.`);
}

/** Returns the growth of the gateway's resident set per stream in KiB. A warm-up group excludes one-time allocations. */
async function memoryPerStream(bench: BenchSystem, readers: Readers, path: string): Promise<number> {
  const pid = bench.system.children.get("gateway")!.pid!;
  const port = bench.system.ports.gateway;
  await readers.request({ open: { group: "warm-up", port, path, count: Math.ceil(STREAMS / 20) } });
  await readers.request({ close: { group: "warm-up" } });
  const before = await residentSetAfterGcKib(pid);
  await readers.request({ open: { group: "gateway", port, path, count: STREAMS } });
  return ((await residentSetAfterGcKib(pid)) - before) / STREAMS;
}

/** Runs the fan-out benchmarks on their own system. */
export async function fanout(log: (text: string) => void, onResult: (result: BenchmarkResult) => void): Promise<void> {
  const bench = await startBenchSystem(log, { programOf: withForcedGc("gateway") });
  const bus = await connectAs("portfolio", bench.system.nats);
  const readers: Readers = startWorker("stream-readers");
  const streams: Streams = startWorker("stream-baseline");
  try {
    assertOpenFileLimit(readers.child.pid!);
    const { port } = await streams.next<{ port: number }>();
    const office = await anOffice(bench.system.baseUrl);
    const kibPerStream = await memoryPerStream(bench, readers, `/api/events/stream?token=${office.token}`);
    await readers.request({ open: { group: "bare", port, path: "/", count: STREAMS } });
    onResult(
      await runBenchmark({
        name: `one event to ${STREAMS} streams, from publication until the last client has received it`,
        against: "a bare `res.write` loop",
        target: { atMost: 1.3 },
        unit: "ms",
        ours: () => medianOf(() => gatewayDelay(readers, { bus, dataDir: bench.dataDir }, office)),
        theirs: () => medianOf(() => baselineDelay(readers, streams, office)),
      }),
    );
    onResult({
      name: "memory of a stream: growth of the gateway's resident set, garbage collected",
      against: `${LIMIT_KIB_PER_STREAM} KiB`,
      target: { atMost: 1 },
      unit: "KiB",
      ours: kibPerStream,
      theirs: LIMIT_KIB_PER_STREAM,
      ratio: kibPerStream / LIMIT_KIB_PER_STREAM,
    });
  } finally {
    await Promise.all([readers.end(), streams.end(), bus.connection.close()]);
    await bench.end();
  }
}
