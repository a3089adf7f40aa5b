/** Compares the same requests and writes in a small organization and in one a hundred times as large, in the same tables. */
import { randomInt, randomUUID } from "node:crypto";
import { addDays, endOfMonth } from "@freehold/kit/time/plain-date";
import type { Office } from "../../support/office.ts";
import { createInProcessLedger, principalHeadersFor } from "../in-process-ledger.ts";
import { callsPerSecond, medianMs, percentile, runBenchmark, type Benchmark, type BenchmarkResult, type Target } from "../measure.ts";
import { stopAllButPostgres, startBenchSystem, type BenchSystem } from "../bench-system.ts";
import { seedOrganizations, type SeededOrganizations } from "./seed.ts";
import { lists, type List } from "./lists.ts";
import { searchQueries } from "./search-queries.ts";
import { samplesOf, type Sample } from "./samples.ts";
import { months } from "./sizes.ts";

type Log = (text: string) => void;
type OrganizationSize = "small" | "large";

/** Request template: the query is built from each sample of the organization in turn. */
interface RequestTemplate extends Pick<List, "service" | "path"> {
  queryOf: (sample: Sample) => Record<string, string>;
}

/** Returns functions that send requests for an organization directly to the service, one after the other. */
function createRequester(bench: BenchSystem, seeded: SeededOrganizations, samples: Record<OrganizationSize, Sample[]>) {
  const principalHeaders = principalHeadersFor(bench);
  let sampleIndex = 0;
  const send = async (size: OrganizationSize, { service, path, queryOf }: RequestTemplate): Promise<{ total?: number }> => {
    const query = new URLSearchParams(queryOf(samples[size][sampleIndex++ % samples[size].length]!));
    const response = await fetch(`http://127.0.0.1:${bench.system.ports[service]}${path}?${query.toString()}`, {
      headers: await principalHeaders(seeded[size]),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}?${query.toString()} returned status ${response.status}: ${text}`);
    return JSON.parse(text) as { total?: number };
  };
  return { send, time: (size: OrganizationSize, template: RequestTemplate) => medianMs(() => send(size, template)) };
}

/** Compares one page or filter of a list in both organizations. The page size is the number of matches in the small one, at most 100. */
async function compareSizes(
  list: List,
  label: string,
  queryOf: RequestTemplate["queryOf"],
  target: Target,
  { send, time }: ReturnType<typeof createRequester>,
): Promise<BenchmarkResult> {
  const { total } = await send("small", { ...list, queryOf: (sample) => ({ page: "1", ...queryOf(sample), pageSize: "1" }) });
  const rows = Math.min(100, Math.max(1, total!));
  const template: RequestTemplate = { ...list, queryOf: (sample) => ({ page: "1", ...queryOf(sample), pageSize: String(rows) }) };
  return runBenchmark({
    name: `${list.name}, ${rows} on a page, ${label}`,
    against: "the small organization",
    target,
    unit: "ms",
    ours: () => time("large", template),
    theirs: () => time("small", template),
  });
}

const kinds = {
  pages: "pages of the whole list",
  narrow: "filters that match as many rows in both organizations",
  broad: "filters that match or scan a hundred times as many rows",
};
type Kind = keyof typeof kinds;

/** Measures every page and filter of one kind and returns the result with the highest ratio. */
async function worstResult(list: List, kind: Kind, requester: ReturnType<typeof createRequester>, log: Log): Promise<BenchmarkResult> {
  const results: BenchmarkResult[] = [];
  for (const [label, queryOf] of Object.entries(list[kind])) {
    const result = await compareSizes(list, label, queryOf, kind === "pages" ? { atMost: 1.5 } : "none", requester);
    log(`     ${result.ratio.toFixed(2)}  ${result.ours.toFixed(1)} ms against ${result.theirs.toFixed(1)} ms  ${result.name}`);
    results.push(result);
  }
  const worst = results.toSorted((a, b) => b.ratio - a.ratio)[0]!;
  return { ...worst, name: `${worst.name}: the worst of ${results.length} ${kinds[kind]}` };
}

/** Returns requests for trial balances, on the last day of a month and in its middle, and pages of an account's general ledger, on both bases. */
function reportRequests(): { name: string; queryOf: RequestTemplate["queryOf"]; path: string }[] {
  const month = months().at(-13)!;
  const [midMonth, lastDay] = [addDays(month, 13), endOfMonth(month)];
  const trialBalance = (asOf: string) => ({ name: `trial balance as of ${asOf}`, path: "/api/accounting/trial-balance", query: { asOf } });
  const generalLedger = (page: string) => ({
    name: `page ${page} of the general ledger of an account in a month, 100 lines`,
    path: "/api/accounting/general-ledger",
    query: { from: month, to: lastDay, page, pageSize: "100" },
  });
  const reports = [trialBalance(lastDay), trialBalance(midMonth), generalLedger("1"), generalLedger("3")];
  return ["accrual", "cash"].flatMap((basis) =>
    reports.map(({ name, path, query }) => ({
      name: `${name}, ${basis} basis`,
      path,
      queryOf: ({ accountId }: Sample) => ({ ...query, basis, ...(path.endsWith("general-ledger") && { accountId }) }),
    })),
  );
}

const reportBenchmarks = ({ time }: ReturnType<typeof createRequester>): Benchmark[] =>
  reportRequests().map(({ name, ...request }) => ({
    name,
    against: "the same report of the small organization",
    target: { atMost: 1.5 },
    unit: "ms",
    ours: () => time("large", { service: "ledger", ...request }),
    theirs: () => time("small", { service: "ledger", ...request }),
  }));

/** Benchmark of the p95 of an interactive request against an absolute limit. */
function interactiveBenchmark(name: string, limitMs: number, count: number, send: () => Promise<unknown>): Benchmark {
  const p95 = async () => {
    const times: number[] = [];
    while (times.length < count) {
      const started = performance.now();
      await send();
      times.push(performance.now() - started);
    }
    return percentile(times, 0.95);
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

function searchBenchmark({ send }: ReturnType<typeof createRequester>, samples: Record<OrganizationSize, Sample[]>): Benchmark {
  const searches = searchQueries(samples.large, 20);
  let sampleIndex = 0;
  const template: RequestTemplate = { service: "portfolio", path: "/api/search", queryOf: () => ({ q: searches[sampleIndex++ % searches.length]! }) };
  return interactiveBenchmark("search all entities", 150, searches.length, () => send("large", template));
}

const dashboardBenchmark = ({ send }: ReturnType<typeof createRequester>): Benchmark =>
  interactiveBenchmark("read the dashboard", 200, 100, () => send("large", { service: "portfolio", path: "/api/dashboard", queryOf: () => ({}) }));

/** Returns a payment of the sample's tenant, allocated to next month's rent. */
const paymentFor = ({ tenantId, leaseId, chargeId }: Sample) => ({
  tenantId,
  leaseId,
  amountCents: 1,
  paymentMethod: "ach" as const,
  receivedAt: new Date().toISOString(),
  idempotencyKey: randomUUID(),
  allocations: [{ chargeId, amountCents: 1 }],
});

function paymentBenchmark(
  bench: BenchSystem,
  seeded: SeededOrganizations,
  samples: Record<OrganizationSize, Sample[]>,
  ledger: Awaited<ReturnType<typeof createInProcessLedger>>,
): Benchmark {
  const measure = (size: OrganizationSize, office: Office) => () =>
    callsPerSecond(8, () => ledger.record(office, paymentFor(samples[size][randomInt(samples[size].length)]!)));
  return {
    name: "record a payment in the ledger process alone, 8 at once, in the large organization, of a tenant who is charged in advance",
    against: "in the small organization",
    target: { atLeast: 0.9 },
    unit: "/s",
    prepare: () => stopAllButPostgres(bench),
    ours: measure("large", seeded.large),
    theirs: measure("small", seeded.small),
  };
}

/** Runs the growth benchmarks on a system with seeded organizations. */
export async function growth(log: Log, onResult: (result: BenchmarkResult) => void): Promise<void> {
  const bench = await startBenchSystem(log);
  try {
    const seeded = await seedOrganizations(bench, log);
    const samples = { small: await samplesOf(bench, seeded.small), large: await samplesOf(bench, seeded.large) };
    const requester = createRequester(bench, seeded, samples);
    for (const benchmark of reportBenchmarks(requester)) onResult(await runBenchmark(benchmark));
    onResult(await runBenchmark(searchBenchmark(requester, samples)));
    onResult(await runBenchmark(dashboardBenchmark(requester)));
    for (const kind of Object.keys(kinds) as Kind[]) for (const list of lists(seeded.smallLeases)) onResult(await worstResult(list, kind, requester, log));
    const ledger = await createInProcessLedger(bench);
    onResult(await runBenchmark(paymentBenchmark(bench, seeded, samples, ledger)));
    await ledger.close();
  } finally {
    await bench.end();
  }
}
