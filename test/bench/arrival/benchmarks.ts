/**
 * Measures the time from the commit of a change to its arrival at a client of the event stream. The baselines are a bare
 * NATS subscriber and a minimal path of one insert and one publication. PostgreSQL records the commit times.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { anOffice, type Office } from "../../support/office.ts";
import { subjectFilter } from "@freehold/kit/events/nats";
import { optionsOf } from "../../support/events/bus.ts";
import { startWorker, type Worker } from "../worker.ts";
import { percentile, runBenchmark, type BenchmarkResult } from "../measure.ts";
import { runAtRate } from "../run-at-rate.ts";
import type { Command as WriteCommand } from "../processes/event-baseline.ts";
import type { Command as ListenCommand, Reply as ListenReply } from "../processes/event-listener.ts";
import { startBenchSystem, type BenchSystem } from "../bench-system.ts";

const PER_SECOND = 200;
const WRITES = Number(process.env["BENCH_WRITES"] ?? 2_000);
/** Subject that the gateway's credentials may publish and subscribe to, and that is not stored. */
const SUBJECT = "gateways.bench";

type Listener = Worker<ListenCommand, ListenReply>;
type BaselineWriter = Worker<WriteCommand, { ready: true } | { written: string[] }>;

const databaseOf = (bench: BenchSystem, name: string) => bench.system.adminUrl!.replace(/\/postgres$/, `/${name}`);

/** Enables `track_commit_timestamp`, which takes effect after a restart of PostgreSQL. */
async function trackCommits(bench: BenchSystem): Promise<void> {
  const admin = new pg.Client({ connectionString: bench.system.adminUrl! });
  await admin.connect();
  await admin.query("alter system set track_commit_timestamp = on");
  await admin.end();
  await bench.system.children.get("postgres")!.restart();
  for (let attempt = 0; (await fetch(`${bench.system.baseUrl}/api/health`)).status !== 200; attempt++) {
    if (attempt > 100) throw new Error("The services did not reconnect to the restarted PostgreSQL.");
    await sleep(100);
  }
}

/** Returns the commit time of the transaction that wrote each row, in milliseconds of the wall clock. */
async function commitTimes(client: pg.Client, table: string, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await client.query<{ id: string; at: number }>(
    `select id, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at from ${table} where id = any($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** Returns the p99 delay in milliseconds from commit to arrival at the listener; throws if an event did not arrive. */
async function p99Delay(listener: Listener, client: pg.Client, table: string, ids: readonly string[]): Promise<number> {
  await sleep(1_000);
  const commits = await commitTimes(client, table, ids);
  const { arrivals } = await listener.request<{ arrivals: Map<string, number> }>("collect");
  const delays = ids.map((id) => arrivals.get(id)! - commits.get(id)!);
  if (delays.some(Number.isNaN)) throw new Error(`${delays.filter(Number.isNaN).length} of ${ids.length} events did not arrive.`);
  return percentile(delays, 0.99);
}

const createVendorIn = (office: Office) => async () => (await office.call("createVendor", { body: { name: "Elm Street Plumbing" } })).vendor.id;

interface Participants {
  bench: BenchSystem;
  office: Office;
  streamListener: Listener;
  natsListener: Listener;
  baselineListener: Listener;
  baselineWriter: BaselineWriter;
}

async function startParticipants(bench: BenchSystem): Promise<Participants> {
  await trackCommits(bench);
  const office = await anOffice(bench.system.baseUrl);
  const portfolio = databaseOf(bench, "portfolio");
  const natsOptions = optionsOf("gateway", bench.system.nats);
  const participants: Participants = {
    bench,
    office,
    streamListener: startWorker("event-listener"),
    natsListener: startWorker("event-listener"),
    baselineListener: startWorker("event-listener"),
    baselineWriter: startWorker("event-baseline", { BENCH_DATABASE_URL: portfolio, BENCH_NATS: JSON.stringify(natsOptions) }),
  };
  await participants.baselineWriter.next();
  await participants.streamListener.request({ stream: `${bench.system.baseUrl}/api/events/stream?token=${office.token}` });
  await participants.natsListener.request({ natsOptions, subject: subjectFilter(office) });
  await participants.baselineListener.request({ natsOptions, subject: SUBJECT });
  return participants;
}

/** Runs the arrival benchmarks on their own system. */
export async function arrival(log: (text: string) => void, onResult: (result: BenchmarkResult) => void): Promise<void> {
  const bench = await startBenchSystem(log);
  const participants = await startParticipants(bench);
  const client = new pg.Client({ connectionString: databaseOf(bench, "portfolio") });
  await client.connect();
  const { office, streamListener, natsListener, baselineListener, baselineWriter } = participants;
  try {
    await client.query("create table bare_event (id uuid primary key, envelope json not null)");
    const command = { perSecond: PER_SECOND, subject: SUBJECT, organizationId: office.organizationId };
    const writeBaseline = async (count: number) => (await baselineWriter.request<{ written: string[] }>({ ...command, count })).written;
    await runAtRate(PER_SECOND, PER_SECOND, createVendorIn(office));
    await writeBaseline(PER_SECOND);
    let vendorIds: string[] = [];
    const measureGateway = async () => p99Delay(streamListener, client, "vendor", (vendorIds = await runAtRate(WRITES, PER_SECOND, createVendorIn(office))));
    onResult(
      await runBenchmark({
        name: `commit to a client of the event stream, p99 at ${PER_SECOND} writes a second`,
        against: "commit to a bare subscriber of NATS, the same writes",
        target: { atMost: 4 },
        unit: "ms",
        ours: measureGateway,
        theirs: () => p99Delay(natsListener, client, "vendor", vendorIds),
      }),
    );
    onResult(
      await runBenchmark({
        name: `commit to a client of the event stream, p99 at ${PER_SECOND} writes a second`,
        against: "a bare commit, published without a stream or an outbox, nothing else running",
        target: { atMost: 4 },
        unit: "ms",
        ours: measureGateway,
        theirs: async () => p99Delay(baselineListener, client, "bare_event", await writeBaseline(WRITES)),
      }),
    );
  } finally {
    await Promise.all([streamListener.end(), natsListener.end(), baselineListener.end(), baselineWriter.end(), client.end()]);
    await bench.end();
  }
}
