/** List pages and filters of a large portfolio, against handwritten statements for the same page. */
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import type { Office } from "../../support/office.ts";
import { freePorts } from "../../../deploy/system/ports.ts";
import { startWorker } from "../worker.ts";
import { seedPortfolios } from "../growth/seed.ts";
import { principalHeadersFor } from "../in-process-ledger.ts";
import { p95Ms, runBenchmark, type BenchmarkResult } from "../measure.ts";
import { startBenchSystem, type BenchSystem } from "../bench-system.ts";
import { withForcedGc } from "../memory.ts";
import { exportBenchmarks } from "./csv-exports.ts";
import { leaseStartBenchmark } from "./lease-starts.ts";
import { listBaselines, type ListBaseline, type FilterValues } from "./baselines.ts";

const PAGE_SIZE = 20;

/** A page or filter of a list, with its API query and the name of its baseline statement. */
interface ListRequest {
  list: ListBaseline;
  label: string;
  query: Record<string, string>;
  offset: number;
  statement: string;
}

interface ListPage {
  rows: { id: string }[];
  total: number;
}

const listRequests = (list: ListBaseline, filterValues: FilterValues): ListRequest[] => [
  ...[1, 100].map((page) => ({ list, label: `page ${page}`, query: { page: String(page) }, offset: (page - 1) * PAGE_SIZE, statement: list.name })),
  ...Object.entries(list.filters(filterValues)).map(([label, { query }]) => ({ list, label, query, offset: 0, statement: `${list.name} ${label}` })),
];

function baselineStatements(list: ListBaseline, filterValues: FilterValues): [string, { rows: string; count: string; balances: string | undefined }][] {
  const table = list.from.split(" ").at(-1)!;
  const statementsFor = (where: string) => {
    const source = `from ${list.from} ${list.joins} where ${table}.organization_id = $1 and ${list.where} and ${where}`;
    const rows = `select ${list.columns} ${source} order by ${list.order} limit ${PAGE_SIZE} offset $2`;
    return { rows, count: `select count(*) as total ${source}`, balances: list.balances };
  };
  return [
    [list.name, statementsFor("true")],
    ...Object.entries(list.filters(filterValues)).map(
      ([label, { where }]) => [`${list.name} ${label}`, statementsFor(where)] as ReturnType<typeof baselineStatements>[number],
    ),
  ];
}

/** Selects a random lease with its tenant, property, owner and vendor as filter values. */
async function findFilterValues(connectionString: string, { organizationId }: Office): Promise<FilterValues> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<FilterValues>(
    `select l.property_id as "propertyId", l.tenant_id as "tenantId", t.full_name as "fullName", po.owner_id as "ownerId", w.vendor_id as "vendorId"
    from lease l join tenant t on t.id = l.tenant_id join property_owner po on po.property_id = l.property_id join work_order w on w.unit_id = l.unit_id
    where l.organization_id = $1 order by md5(l.id::text) limit 1`,
    [organizationId],
  );
  await client.end();
  return rows[0]!;
}

async function startTargets(bench: BenchSystem, office: Office, filterValues: FilterValues, databaseUrl: (service: string) => string) {
  const [port] = (await freePorts(1)) as [number];
  const statements = Object.fromEntries(listBaselines.flatMap((list) => baselineStatements(list, filterValues)));
  const baseline = startWorker("list-baseline", {
    BASELINE_PORT: String(port),
    BASELINE_DATABASE_URL: databaseUrl("portfolio"),
    BASELINE_LEDGER_URL: databaseUrl("ledger"),
    BASELINE_STATEMENTS: JSON.stringify(statements),
  });
  await baseline.next();
  const principalHeaders = principalHeadersFor(bench);
  const read = async (address: string, init: RequestInit = {}): Promise<unknown> => {
    const response = await fetch(address, init);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${address} returned status ${response.status}: ${text}`);
    return JSON.parse(text) as unknown;
  };
  return {
    ours: async ({ list, query }: ListRequest): Promise<ListPage> => {
      const search = new URLSearchParams({ page: "1", pageSize: String(PAGE_SIZE), ...query }).toString();
      const address = `http://127.0.0.1:${bench.system.ports.portfolio}${list.path}?${search}`;
      const body = (await read(address, { headers: await principalHeaders(office) })) as Record<string, ListPage["rows"]> & { total: number };
      return { rows: body[list.key]!, total: body.total };
    },
    theirs: async ({ statement, offset }: ListRequest): Promise<ListPage> =>
      (await read(`http://127.0.0.1:${port}/${encodeURIComponent(statement)}/${office.organizationId}/${offset}`)) as ListPage,
    end: () => baseline.end(),
  };
}

/** Throws unless the API and the baseline return the same rows in the same order and the same total. */
async function assertSameRows(request: ListRequest, { ours, theirs }: Awaited<ReturnType<typeof startTargets>>): Promise<void> {
  const [actual, expected] = (await Promise.all([ours(request), theirs(request)])).map(({ rows, total }) => ({ ids: rows.map(({ id }) => id), total }));
  if (!isDeepStrictEqual(actual, expected))
    throw new Error(`${request.statement}, ${request.label}: the API returned ${JSON.stringify(actual)}, the baseline ${JSON.stringify(expected)}`);
}

/** Time in milliseconds that a page may take whatever its statement costs. */
const FAST_MS = 150;

/** Measures every page and filter of a list and returns the result with the highest ratio to what it may take. */
async function worstResult(
  list: ListBaseline,
  requests: ListRequest[],
  targets: Awaited<ReturnType<typeof startTargets>>,
  log: (text: string) => void,
): Promise<BenchmarkResult> {
  const results: BenchmarkResult[] = [];
  for (const request of requests) {
    await assertSameRows(request, targets);
    let pageMs = 0;
    const result = await runBenchmark({
      name: `${list.name}, ${request.label}`,
      against: `${FAST_MS} ms, or three times handwritten SQL for the same page if that is longer, p95`,
      target: { atMost: 1 },
      unit: "ms",
      ours: async () => (pageMs = await p95Ms(() => targets.ours(request))),
      // A handwritten statement for a late page takes ten seconds; it is measured only where it decides.
      theirs: async () => (pageMs <= FAST_MS ? FAST_MS : Math.max(FAST_MS, 3 * (await p95Ms(() => targets.theirs(request))))),
    });
    log(`     ${result.ratio.toFixed(2)}  ${result.ours.toFixed(1)} ms against ${result.theirs.toFixed(1)} ms  ${result.name}`);
    results.push(result);
  }
  const worst = results.toSorted((a, b) => b.ratio - a.ratio)[0]!;
  return { ...worst, name: `${worst.name}: the worst of ${results.length} pages and filters` };
}

/** Runs the list benchmarks on a system with seeded portfolios. */
export async function lists(log: (text: string) => void, onResult: (result: BenchmarkResult) => void): Promise<void> {
  const bench = await startBenchSystem(log, { programOf: withForcedGc("portfolio") });
  try {
    const office = await seedPortfolios(bench, log);
    const databaseUrl = (service: string) => bench.system.adminUrl!.replace(/\/postgres$/, `/${service}`);
    const filterValues = await findFilterValues(databaseUrl("portfolio"), office);
    const targets = await startTargets(bench, office, filterValues, databaseUrl);
    for (const list of listBaselines) onResult(await worstResult(list, listRequests(list, filterValues), targets, log));
    await targets.end();
    await exportBenchmarks(bench, office, databaseUrl("portfolio"), onResult);
    await leaseStartBenchmark(office, databaseUrl("portfolio"), onResult);
  } finally {
    await bench.end();
  }
}
