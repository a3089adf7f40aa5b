/** CSV export of a list with a row per unit, against `COPY` of the same columns. */
import pg from "pg";
import type { Office } from "../../support/office.ts";
import type { BenchSystem } from "../bench-system.ts";
import { PORTFOLIO_UNITS } from "../growth/sizes.ts";
import { principalHeadersFor } from "../in-process-ledger.ts";
import { growthDuring } from "../memory.ts";
import { ROUNDS, runBenchmark, type BenchmarkResult } from "../measure.ts";

const LIMIT_MIB = 32;
const COLUMNS =
  "u.id, u.organization_id, u.property_id, p.name, u.unit_number, u.bedrooms, u.bathrooms, u.square_feet, u.market_rent_cents, u.created_at, u.updated_at";

/** Runs the benchmarks of exports: rows per second, and the growth of the service's resident set meanwhile. */
export async function exportBenchmarks(bench: BenchSystem, office: Office, databaseUrl: string, onResult: (result: BenchmarkResult) => void): Promise<void> {
  const principalHeaders = principalHeadersFor(bench);
  const exportUnits = async (): Promise<void> => {
    const headers = { ...(await principalHeaders(office)), Accept: "text/csv" };
    const response = await fetch(`http://127.0.0.1:${bench.system.ports.portfolio}/api/units`, { headers });
    let lines = 0;
    for await (const chunk of response.body!) for (const byte of chunk) if (byte === 10) lines++;
    if (response.status !== 200 || lines < PORTFOLIO_UNITS) throw new Error(`The export returned status ${response.status} and ${lines} lines.`);
  };
  const copy = `copy (select ${COLUMNS} from unit u join property p on p.organization_id = u.organization_id and p.id = u.property_id
    where u.organization_id = '${office.organizationId}' and u.deleted_at is null order by u.created_at desc, u.id desc) to stdout (format csv)`;
  const rowsPerSecond = async (work: () => Promise<unknown>): Promise<number> => {
    const started = performance.now();
    await work();
    return PORTFOLIO_UNITS / ((performance.now() - started) / 1_000);
  };
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  onResult(
    await runBenchmark({
      name: `${PORTFOLIO_UNITS} units as CSV`,
      against: "COPY of the same columns",
      target: { atLeast: 0.5 },
      unit: "/s",
      ours: () => rowsPerSecond(exportUnits),
      theirs: () => rowsPerSecond(() => client.query(copy)),
    }),
  );
  await client.end();
  const pid = bench.system.children.get("portfolio")!.pid!;
  onResult(
    await runBenchmark({
      name: `${PORTFOLIO_UNITS} units as CSV: growth of the resident set of the service, ${ROUNDS} exports`,
      against: `${LIMIT_MIB} MiB`,
      target: { atMost: 1 },
      unit: "MiB",
      ours: async () => (await growthDuring([pid], exportUnits))[0]!,
      theirs: () => Promise.resolve(LIMIT_MIB),
    }),
  );
}
