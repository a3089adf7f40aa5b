/** Pending leases of one organization that all start on the same day, as after the last midnight of a month. */
import pg from "pg";
import { setTimeout as sleep } from "node:timers/promises";
import type { Office } from "../../support/office.ts";
import { runBenchmark, type BenchmarkResult } from "../measure.ts";

const LEASE_COUNT = 2_000;
const LIMIT_SECONDS = 60;

/** Makes leases without a predecessor pending, so that they start today in the organization's time zone, and requests their start. */
const REQUEST_STARTS = `
  with starting as (
    update lease set status = 'pending', start_date = (now() at time zone 'America/New_York')::date
    where organization_id = $1 and id in (select l.id from lease l where l.organization_id = $1 and l.status = 'active' and l.deleted_at is null
      and not exists (select 1 from lease other where other.organization_id = $1 and other.unit_id = l.unit_id and other.id <> l.id) order by l.id limit ${LEASE_COUNT})
    returning 1)
  insert into work_request (job, organization_id) select 'startLeases', $1 from (select count(*) from starting) counted`;

/** Runs the benchmark of the job that starts pending leases: seconds until all of them are active. */
export async function leaseStartBenchmark(office: Office, databaseUrl: string, onResult: (result: BenchmarkResult) => void): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const countPending = async (): Promise<number> =>
    (await client.query<{ count: number }>("select count(*)::int from lease where organization_id = $1 and status = 'pending'", [office.organizationId]))
      .rows[0]!.count;
  const startLeases = async (): Promise<number> => {
    await client.query("set session_replication_role = replica");
    await client.query(REQUEST_STARTS, [office.organizationId]);
    const started = performance.now();
    const requested = await countPending();
    if (requested !== LEASE_COUNT) throw new Error(`${requested} leases are pending instead of ${LEASE_COUNT}.`);
    while ((await countPending()) > 0) await sleep(100);
    return (performance.now() - started) / 1_000;
  };
  onResult(
    await runBenchmark({
      name: `${LEASE_COUNT} leases of one organization that start on the same day`,
      against: `${LIMIT_SECONDS} s`,
      target: { atMost: 1 },
      unit: "s",
      ours: startLeases,
      theirs: () => Promise.resolve(LIMIT_SECONDS),
    }),
  );
  await client.end();
}
