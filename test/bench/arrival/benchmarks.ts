/**
 * From the commit of a change until a client of the event stream has it, beside the least that it could take: a row, its
 * commit, a plain publication and a plain subscriber. PostgreSQL itself says when each transaction was committed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { anOffice, type Office } from "../../support/office.ts";
import { subjectFilter } from "@freehold/kit/events/nats";
import { helper, type Helper } from "../child.ts";
import { percentile, run, type Outcome } from "../measure.ts";
import { paced } from "../paced.ts";
import type { Order as Write } from "../processes/bare-writer.ts";
import type { Order as Listen, Report } from "../processes/listener.ts";
import { setStage, type Stage } from "../stage.ts";

const PER_SECOND = 200;
const WRITES = Number(process.env["BENCH_WRITES"] ?? 2_000);
const SUBJECT = "bench.arrival";

type Listener = Helper<Listen, Report>;
type Writer = Helper<Write, { ready: true } | { written: string[] }>;

const databaseOf = (stage: Stage, name: string) => stage.system.adminUrl!.replace(/\/postgres$/, `/${name}`);

/** Has the server keep the time of each commit, which it does from its next start on. */
async function trackCommits(stage: Stage): Promise<void> {
  const admin = new pg.Client({ connectionString: stage.system.adminUrl! });
  await admin.connect();
  await admin.query("alter system set track_commit_timestamp = on");
  await admin.end();
  await stage.system.children.get("postgres")!.restart();
  for (let attempt = 0; (await fetch(`${stage.system.baseUrl}/api/health`)).status !== 200; attempt++) {
    if (attempt > 100) throw new Error("The services did not find the restarted PostgreSQL.");
    await sleep(100);
  }
}

/** When the transactions that wrote rows were committed, by the wall clock of this machine. */
async function commitsOf(client: pg.Client, table: string, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await client.query<{ id: string; at: number }>(
    `select id, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at from ${table} where id = any($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** The delay that one in a hundred exceeds, from each commit until the listener had it; one that never came fails the benchmark. */
async function slowest(listener: Listener, client: pg.Client, table: string, ids: readonly string[]): Promise<number> {
  await sleep(1_000);
  const commits = await commitsOf(client, table, ids);
  const { arrivals } = await listener.ask<{ arrivals: Map<string, number> }>("collect");
  const delays = ids.map((id) => arrivals.get(id)! - commits.get(id)!);
  if (delays.some(Number.isNaN)) throw new Error(`${delays.filter(Number.isNaN).length} of ${ids.length} events did not arrive.`);
  return percentile(delays, 0.99);
}

const aVendor = (office: Office) => async () => (await office.call("createVendor", { body: { name: "Elm Street Plumbing" } })).vendor.id;

interface Ends {
  stage: Stage;
  office: Office;
  streamed: Listener;
  subscribed: Listener;
  bare: Listener;
  writer: Writer;
}

async function open(stage: Stage): Promise<Ends> {
  await trackCommits(stage);
  const office = await anOffice(stage.system.baseUrl);
  const portfolio = databaseOf(stage, "portfolio");
  const ends: Ends = {
    stage,
    office,
    streamed: helper("listener"),
    subscribed: helper("listener"),
    bare: helper("listener"),
    writer: helper("bare-writer", { BENCH_DATABASE_URL: portfolio, BENCH_NATS_URL: stage.system.natsUrl }),
  };
  await ends.writer.next();
  await ends.streamed.ask({ stream: `${stage.system.baseUrl}/api/events/stream?token=${office.token}` });
  await ends.subscribed.ask({ natsUrl: stage.system.natsUrl, subject: subjectFilter(office) });
  await ends.bare.ask({ natsUrl: stage.system.natsUrl, subject: SUBJECT });
  return ends;
}

/** The benchmark of arrival, on a stage of its own. */
export async function arrival(say: (text: string) => void, done: (outcome: Outcome) => void): Promise<void> {
  const stage = await setStage(say);
  const ends = await open(stage);
  const client = new pg.Client({ connectionString: databaseOf(stage, "portfolio") });
  await client.connect();
  const { office, streamed, subscribed, bare, writer } = ends;
  try {
    await client.query("create table bare_event (id uuid primary key, envelope json not null)");
    const order = { perSecond: PER_SECOND, subject: SUBJECT, organizationId: office.organizationId };
    const written = async (count: number) => (await writer.ask<{ written: string[] }>({ ...order, count })).written;
    await paced(PER_SECOND, PER_SECOND, aVendor(office));
    await written(PER_SECOND);
    let vendors: string[] = [];
    const arrived = async () => slowest(streamed, client, "vendor", (vendors = await paced(WRITES, PER_SECOND, aVendor(office))));
    done(
      await run({
        name: `commit to a client of the event stream, p99 at ${PER_SECOND} writes a second`,
        against: "commit to a bare subscriber of NATS, the same writes",
        target: { atMost: 4 },
        unit: "ms",
        ours: arrived,
        theirs: () => slowest(subscribed, client, "vendor", vendors),
      }),
    );
    done(
      await run({
        name: "the same",
        against: "the least it could take: a bare commit, published without a stream or an outbox, nothing else running",
        target: { atMost: 4 },
        unit: "ms",
        ours: arrived,
        theirs: async () => slowest(bare, client, "bare_event", await written(WRITES)),
      }),
    );
  } finally {
    await Promise.all([streamed.end(), subscribed.end(), bare.end(), writer.end(), client.end()]);
    await stage.end();
  }
}
