/** One event to thousands of open streams, beside a server that does nothing but write it. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Envelope } from "@freehold/contract/events";
import { connectBus, subjectOf, type EventBus } from "@freehold/kit/events/nats";
import { anOffice, type Office } from "../../support/office.ts";
import { helper, type Helper } from "../child.ts";
import { settledRss, withGarbageCollection } from "../garbage.ts";
import { median, run, type Outcome } from "../measure.ts";
import type { Order, Report } from "../processes/readers.ts";
import { setStage, type Stage } from "../stage.ts";

const STREAMS = Number(process.env["BENCH_STREAMS"] ?? 5_000);
const EVENTS_A_ROUND = 9;
const KIB_A_STREAM = 20;

type Readers = Helper<Order, Report>;
type Streams = Helper<{ frame: string }, { port: number } | { startedAt: number }>;

/** The clock that all processes of a machine share, in milliseconds. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

/** An event that the office may see and no service acts on. */
const anEvent = ({ organizationId }: Office): Envelope => ({
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

/** From the publication of an event until its last reader has it. */
async function throughGateway(readers: Readers, bus: EventBus, office: Office): Promise<number> {
  const event = anEvent(office);
  await readers.ask({ expect: { group: "gateway", marker: event.entityId } });
  const arrived = readers.next<{ lastAt: number }>();
  const startedAt = now();
  bus.connection.publish(subjectOf(event), JSON.stringify(event));
  return (await arrived).lastAt - startedAt;
}

/** From the first `res.write` of the same frame until its last reader has it. */
async function bare(readers: Readers, streams: Streams, office: Office): Promise<number> {
  const event = anEvent(office);
  await readers.ask({ expect: { group: "bare", marker: event.entityId } });
  const arrived = readers.next<{ lastAt: number }>();
  const { audience: _, ...seen } = event;
  const { startedAt } = await streams.ask<{ startedAt: number }>({ frame: `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(seen)}\n\n` });
  return (await arrived).lastAt - startedAt;
}

async function medianOf(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  while (times.length < EVENTS_A_ROUND) {
    times.push(await measure());
    await sleep(50);
  }
  return median(times);
}

function requireFiles(pid: number): void {
  const [, soft] = /Max open files\s+(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, "utf8"))!;
  const needed = STREAMS * 2 + 200;
  if (Number(soft) < needed) throw new Error(`A process may open ${soft} files here; ${STREAMS} streams need ${needed}. Raise it: ulimit -n ${needed}.`);
}

/** How much the gateway grows for each stream. Some come and go before, so that what it only needs once is not counted. */
async function memoryOf(stage: Stage, readers: Readers, path: string): Promise<number> {
  const pid = stage.system.children.get("gateway")!.pid!;
  const port = stage.system.ports.gateway;
  await readers.ask({ open: { group: "warming", port, path, count: Math.ceil(STREAMS / 20) } });
  await readers.ask({ close: { group: "warming" } });
  const before = await settledRss(pid);
  await readers.ask({ open: { group: "gateway", port, path, count: STREAMS } });
  return ((await settledRss(pid)) - before) / STREAMS;
}

/** The benchmarks of many streams, on a stage of their own. */
export async function fanout(say: (text: string) => void, done: (outcome: Outcome) => void): Promise<void> {
  const stage = await setStage(say, { programOf: withGarbageCollection("gateway") });
  const bus = await connectBus(stage.system.natsUrl, "freehold-bench");
  const readers: Readers = helper("readers");
  const streams: Streams = helper("bare-streams");
  try {
    requireFiles(readers.child.pid!);
    const { port } = await streams.next<{ port: number }>();
    const office = await anOffice(stage.system.baseUrl);
    const kib = await memoryOf(stage, readers, `/api/events/stream?token=${office.token}`);
    await readers.ask({ open: { group: "bare", port, path: "/", count: STREAMS } });
    done(
      await run({
        name: `one event to ${STREAMS} streams, published until the last has it`,
        against: "a loop of res.write over as many responses of node:http",
        target: { atMost: 1.3 },
        unit: "ms",
        ours: () => medianOf(() => throughGateway(readers, bus, office)),
        theirs: () => medianOf(() => bare(readers, streams, office)),
      }),
    );
    done({
      name: "memory of a stream: growth of the gateway's resident set, garbage collected",
      against: `${KIB_A_STREAM} KiB`,
      target: { atMost: 1 },
      unit: "KiB",
      ours: kib,
      theirs: KIB_A_STREAM,
      ratio: kib / KIB_A_STREAM,
    });
  } finally {
    await Promise.all([readers.end(), streams.end(), bus.connection.close()]);
    await stage.end();
  }
}
