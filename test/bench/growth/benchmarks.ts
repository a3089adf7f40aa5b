/** The same work in a small organization and in one a hundred times its size, in the same tables: how much the size costs. */
import { randomInt, randomUUID } from "node:crypto";
import type { Office } from "../../support/office.ts";
import { ledgerHere, sealedFor } from "../ledger-here.ts";
import { callsPerSecond, medianMs, percentile, run, type Benchmark, type Outcome, type Target } from "../measure.ts";
import { leaveOnlyPostgres, setStage, type Stage } from "../stage.ts";
import { grow, type Grown } from "./fill.ts";
import { lists, type List } from "./lists.ts";
import { queries } from "./searching.ts";
import { samplesOf, type Sample } from "./samples.ts";

type Say = (text: string) => void;
type Which = "small" | "large";

/** What is asked about an organization: a query for each of its samples in turn. */
interface Question extends Pick<List, "service" | "path"> {
  queryOf: (sample: Sample) => Record<string, string>;
}

/** Asks about an organization over HTTP at the service that answers, one request after the other. */
function asker(stage: Stage, grown: Grown, samples: Record<Which, Sample[]>) {
  const seal = sealedFor(stage);
  let turn = 0;
  const ask = async (which: Which, { service, path, queryOf }: Question): Promise<{ total?: number }> => {
    const query = new URLSearchParams(queryOf(samples[which][turn++ % samples[which].length]!));
    const response = await fetch(`http://127.0.0.1:${stage.system.ports[service]}${path}?${query.toString()}`, { headers: await seal(grown[which]) });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}?${query.toString()} answered ${response.status}: ${text}`);
    return JSON.parse(text) as { total?: number };
  };
  return { ask, time: (which: Which, question: Question) => medianMs(() => ask(which, question)) };
}

/** One page or filter of a list, with as many rows on the page in both organizations: up to a hundred, or what the small one has. */
async function compare(list: List, what: string, queryOf: Question["queryOf"], target: Target, { ask, time }: ReturnType<typeof asker>): Promise<Outcome> {
  const { total } = await ask("small", { ...list, queryOf: (sample) => ({ page: "1", ...queryOf(sample), pageSize: "1" }) });
  const rows = Math.min(100, Math.max(1, total!));
  const question: Question = { ...list, queryOf: (sample) => ({ page: "1", ...queryOf(sample), pageSize: String(rows) }) };
  return run({
    name: `${list.name}, ${rows} on a page, ${what}`,
    against: "the same in the small one",
    target,
    unit: "ms",
    ours: () => time("large", question),
    theirs: () => time("small", question),
  });
}

const kinds = {
  pages: "pages of the whole list",
  alike: "filters that match as much in both",
  broad: "filters that match, or look through, a hundred times as much",
};
type Kind = keyof typeof kinds;

/** Every page and filter of one kind; the one whose time grows most with the organization speaks for the list. */
async function worstOf(list: List, kind: Kind, asked: ReturnType<typeof asker>, say: Say): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const [what, queryOf] of Object.entries(list[kind])) {
    const outcome = await compare(list, what, queryOf, kind === "pages" ? { atMost: 1.5 } : "none", asked);
    say(`     ${outcome.ratio.toFixed(2)}  ${outcome.ours.toFixed(1)} ms against ${outcome.theirs.toFixed(1)} ms  ${outcome.name}`);
    outcomes.push(outcome);
  }
  const worst = outcomes.toSorted((a, b) => b.ratio - a.ratio)[0]!;
  return { ...worst, name: `${worst.name}: the worst of ${outcomes.length} ${kinds[kind]}` };
}

const trialBalance = ({ time }: ReturnType<typeof asker>): Benchmark => {
  const asked = { service: "ledger", path: "/api/accounting/trial-balance", queryOf: () => ({}) } as const;
  return {
    name: "read the trial balance of the large organization",
    against: "of the small one",
    target: { atMost: 2 },
    unit: "ms",
    ours: () => time("large", asked),
    theirs: () => time("small", asked),
  };
};

/** Absolute, since people wait for it: the p95 of a question against the time that nobody notices. */
function waitedFor(name: string, limitMs: number, times: number, ask: () => Promise<unknown>): Benchmark {
  const p95 = async () => {
    const waited: number[] = [];
    while (waited.length < times) {
      const started = performance.now();
      await ask();
      waited.push(performance.now() - started);
    }
    return percentile(waited, 0.95);
  };
  return {
    name: `${name} of the large organization, p95`,
    against: `${limitMs} ms`,
    target: { atMost: 1 },
    unit: "ms",
    ours: p95,
    theirs: () => Promise.resolve(limitMs),
  };
}

function searching({ ask }: ReturnType<typeof asker>, samples: Record<Which, Sample[]>): Benchmark {
  const wanted = queries(samples.large, 20);
  let turn = 0;
  const question: Question = { service: "portfolio", path: "/api/search", queryOf: () => ({ q: wanted[turn++ % wanted.length]! }) };
  return waitedFor("search among everything", 150, wanted.length, () => ask("large", question));
}

const dashboard = ({ ask }: ReturnType<typeof asker>): Benchmark =>
  waitedFor("read the dashboard", 200, 100, () => ask("large", { service: "portfolio", path: "/api/dashboard", queryOf: () => ({}) }));

/** A payment of any of the organization's tenants, applied to the rent of next month. */
const aPaymentOf = ({ tenantId, leaseId, chargeId }: Sample) => ({
  tenantId,
  leaseId,
  amountCents: 1,
  paymentMethod: "ach" as const,
  receivedAt: new Date().toISOString(),
  idempotencyKey: randomUUID(),
  allocations: [{ chargeId, amountCents: 1 }],
});

function recording(stage: Stage, grown: Grown, samples: Record<Which, Sample[]>, here: Awaited<ReturnType<typeof ledgerHere>>): Benchmark {
  const spread = (which: Which, office: Office) => () =>
    callsPerSecond(8, () => here.record(office, aPaymentOf(samples[which][randomInt(samples[which].length)]!)));
  return {
    name: "record a payment in the ledger process alone, 8 at once, in the large organization, of a tenant who is charged ahead",
    against: "in the small one",
    target: { atLeast: 0.9 },
    unit: "/s",
    prepare: () => leaveOnlyPostgres(stage),
    ours: spread("large", grown.large),
    theirs: spread("small", grown.small),
  };
}

/** The benchmarks of growth, on a stage that is filled for them. */
export async function growth(say: Say, done: (outcome: Outcome) => void): Promise<void> {
  const stage = await setStage(say);
  try {
    const grown = await grow(stage, say);
    const samples = { small: await samplesOf(stage, grown.small), large: await samplesOf(stage, grown.large) };
    const asked = asker(stage, grown, samples);
    done(await run(trialBalance(asked)));
    done(await run(searching(asked, samples)));
    done(await run(dashboard(asked)));
    for (const kind of Object.keys(kinds) as Kind[]) for (const list of lists(grown.smallLeases)) done(await worstOf(list, kind, asked, say));
    const here = await ledgerHere(stage);
    done(await run(recording(stage, grown, samples, here)));
    await here.close();
  } finally {
    await stage.end();
  }
}
