/** Seeds large organizations by SQL on the server, directly into the services' tables. */
import pg from "pg";
import { anOffice, type Office } from "../../support/office.ts";
import type { BenchSystem } from "../bench-system.ts";
import { seedLedger } from "./seed-ledger.ts";
import { createLeaseSeeds } from "./lease-seeds.ts";
import { seedPortfolio } from "./seed-portfolio.ts";
import { assertIntegrity } from "./integrity.ts";
import { LARGE_LINES, PORTFOLIO_UNITS, sizeOf, SMALL_LINES, type Size } from "./sizes.ts";

export interface SeededOrganizations {
  small: Office;
  large: Office;
  smallLeases: number;
}

type SeededService = "ledger" | "portfolio";

/** Connects as superuser to a service's database with triggers and foreign keys disabled; `assertIntegrity` checks the data afterwards. */
async function connect(bench: BenchSystem, service: SeededService): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: bench.system.adminUrl!.replace(/\/postgres$/, `/${service}`) });
  await client.connect();
  await client.query("set session_replication_role = replica; set synchronous_commit = off; set timezone = 'UTC'");
  await client.query("set work_mem = '256MB'; set temp_buffers = '256MB'; set maintenance_work_mem = '1GB'");
  return client;
}

export async function withClient<T>(bench: BenchSystem, service: SeededService, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(bench, service);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const seedPortfolioOf = (bench: BenchSystem, { organizationId }: Office, size: Size): Promise<void> =>
  withClient(bench, "portfolio", async (client) => {
    await createLeaseSeeds(client, organizationId, size);
    await seedPortfolio(client);
  });

async function seedOrganization(bench: BenchSystem, office: Office, size: Size, log: (text: string) => void): Promise<void> {
  const { organizationId } = office;
  await seedPortfolioOf(bench, office, size);
  await withClient(bench, "ledger", async (client) => {
    await createLeaseSeeds(client, organizationId, size);
    await seedLedger(client, organizationId, log);
  });
}

/** Vacuums and analyzes both databases, so that autovacuum does not run during a measurement. */
const vacuumDatabases = (bench: BenchSystem): Promise<void[]> =>
  Promise.all((["portfolio", "ledger"] as const).map((service) => withClient(bench, service, async (client) => void (await client.query("vacuum (analyze)")))));

const secondsSince = (started: number) => `${((performance.now() - started) / 1_000).toFixed(0)} s`;

/** Seeds two large organizations in the portfolio database only, and returns the first one. */
export async function seedPortfolios(bench: BenchSystem, log: (text: string) => void): Promise<Office> {
  const [office, second] = await Promise.all([anOffice(bench.system.baseUrl), anOffice(bench.system.baseUrl)]);
  const started = performance.now();
  await Promise.all([
    seedPortfolioOf(bench, office, { ordinal: 1, leases: PORTFOLIO_UNITS }),
    seedPortfolioOf(bench, second, { ordinal: 2, leases: PORTFOLIO_UNITS }),
  ]);
  await withClient(bench, "portfolio", async (client) => {
    await client.query("vacuum (analyze)");
    await assertIntegrity(client, []);
  });
  log(`Seeded and checked two portfolios of ${PORTFOLIO_UNITS} units in ${secondsSince(started)}.`);
  return office;
}

/** Seeds an organization with a number of leases and their history. */
export async function seedOneOrganization(bench: BenchSystem, leases: number, log: (text: string) => void, ordinal = 1): Promise<Office> {
  const office = await anOffice(bench.system.baseUrl);
  await seedOrganization(bench, office, { ordinal, leases }, log);
  await vacuumDatabases(bench);
  return office;
}

/** Seeds a small organization and two large ones, and checks their integrity. */
export async function seedOrganizations(bench: BenchSystem, log: (text: string) => void): Promise<SeededOrganizations> {
  const [small, large, second] = await Promise.all([anOffice(bench.system.baseUrl), anOffice(bench.system.baseUrl), anOffice(bench.system.baseUrl)]);
  const started = performance.now();
  await seedOrganization(bench, small, sizeOf(1, SMALL_LINES), () => undefined);
  await Promise.all([seedOrganization(bench, large, sizeOf(2, LARGE_LINES), log), seedOrganization(bench, second, sizeOf(3, LARGE_LINES), log)]);
  log(`Seeded two organizations of ${LARGE_LINES} lines and one of ${SMALL_LINES} in ${secondsSince(started)}.`);
  await vacuumDatabases(bench);
  log(`Vacuumed and analyzed after ${secondsSince(started)}.`);
  await withClient(bench, "portfolio", (client) => assertIntegrity(client, []));
  await withClient(bench, "ledger", (client) =>
    assertIntegrity(
      client,
      [small, large, second].map(({ organizationId }) => organizationId),
    ),
  );
  for (const office of [small, large, second]) {
    const { trialBalance } = await office.call("getTrialBalance", { query: { asOf: "2199-12-31" } });
    if (!trialBalance.isBalanced) throw new Error(`The trial balance of ${office.organizationId} does not balance.`);
  }
  const { rows } = await withClient(bench, "ledger", async (client) => {
    await client.query("checkpoint");
    return client.query<{ size: string; lines: string }>(
      "select pg_size_pretty(sum(pg_database_size(oid))) as size, (select count(*) from journal_line where organization_id = $1) as lines from pg_database",
      [large.organizationId],
    );
  });
  log(`Checked after ${secondsSince(started)}: ${rows[0]!.lines} lines in the large organization, ${rows[0]!.size} on disk.`);
  return { small, large, smallLeases: sizeOf(1, SMALL_LINES).leases };
}
