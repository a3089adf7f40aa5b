/** CSV export of a list with a row per unit, against `COPY` of the same columns. */
import pg from "pg";
import type { Office } from "../../support/office.ts";
import type { BenchSystem } from "../bench-system.ts";
import { PORTFOLIO_UNITS } from "../growth/sizes.ts";
import { principalHeadersFor } from "../in-process-ledger.ts";
import { growthDuring } from "../memory.ts";
import { ROUNDS, runBenchmark, type BenchmarkResult } from "../measure.ts";

const LIMIT_MIB = 32;
/** Returns the handwritten statement of all units with the columns of the export: the derived ones are computed for all units at once. */
const unitsOf = (organizationId: string): string => `with resident as (
    select distinct l.unit_id from lease l join lease_occupant c on c.organization_id = l.organization_id and c.lease_id = l.id
    where l.organization_id = '${organizationId}' and l.status in ('active', 'expired', 'terminated') and l.deleted_at is null and c.role <> 'guarantor' and c.removed_at is null
      and (c.move_out_date is null or c.move_out_date > current_date) and (l.superseded_from is null or l.superseded_from > current_date)
      and coalesce(c.move_in_date, l.start_date) <= current_date),
  current as (select distinct on (l.unit_id) l.unit_id, l.id from lease l
    where l.organization_id = '${organizationId}' and l.status = 'active' and l.deleted_at is null order by l.unit_id, l.start_date desc),
  fee as (select f.unit_id, json_agg(f.*) as fees from unit_fee_template f where f.organization_id = '${organizationId}' group by 1)
  select u.*, p.name as property_name, resident.unit_id is not null as is_occupied, current.id as current_lease_id, fee.fees
  from unit u join property p on p.organization_id = u.organization_id and p.id = u.property_id left join resident on resident.unit_id = u.id
    left join current on current.unit_id = u.id left join fee on fee.unit_id = u.id
  where u.organization_id = '${organizationId}' and u.deleted_at is null order by u.created_at desc, u.id desc`;

/** Runs the benchmarks of exports: rows per second, and the growth of the service's resident set meanwhile. */
export async function exportBenchmarks(bench: BenchSystem, office: Office, databaseUrl: string, onResult: (result: BenchmarkResult) => void): Promise<void> {
  const principalHeaders = principalHeadersFor(bench);
  const exportUnits = async (): Promise<void> => {
    const headers = { ...(await principalHeaders(office)), Accept: "text/csv" };
    const response = await fetch(`http://127.0.0.1:${bench.system.ports.portfolio}/api/units`, { headers });
    let lines = 0;
    for await (const chunk of response.body!) for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, end + 1)) lines++;
    if (response.status !== 200 || lines < PORTFOLIO_UNITS) throw new Error(`The export returned status ${response.status} and ${lines} lines.`);
  };
  const copy = `copy (${unitsOf(office.organizationId)}) to stdout (format csv)`;
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
