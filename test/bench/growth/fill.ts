/** Fills organizations to a size that takes years to reach, in minutes: SQL on the server, into the tables that the services migrated. */
import pg from "pg";
import { anOffice, type Office } from "../../support/office.ts";
import type { Stage } from "../stage.ts";
import { fillLedger } from "./ledger.ts";
import { makePlaces } from "./places.ts";
import { fillPortfolio } from "./portfolio.ts";
import { prove } from "./proofs.ts";
import { LARGE_LINES, sizeOf, SMALL_LINES, type Size } from "./sizes.ts";

export interface Grown {
  small: Office;
  large: Office;
  smallLeases: number;
}

type Filled = "ledger" | "portfolio";

/** The superuser in a service's database: what is written by it fires no trigger and asks for no foreign key, which `prove` makes up for. */
async function connect(stage: Stage, service: Filled): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: stage.system.adminUrl!.replace(/\/postgres$/, `/${service}`) });
  await client.connect();
  await client.query("set session_replication_role = replica; set synchronous_commit = off; set timezone = 'UTC'");
  await client.query("set work_mem = '256MB'; set temp_buffers = '256MB'; set maintenance_work_mem = '1GB'");
  return client;
}

async function withClient<T>(stage: Stage, service: Filled, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(stage, service);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const fillPlaces = (stage: Stage, { organizationId }: Office, size: Size): Promise<void> =>
  withClient(stage, "portfolio", async (client) => {
    await makePlaces(client, organizationId, size);
    await fillPortfolio(client);
  });

async function fillOne(stage: Stage, office: Office, size: Size, say: (text: string) => void): Promise<void> {
  const { organizationId } = office;
  await fillPlaces(stage, office, size);
  await withClient(stage, "ledger", async (client) => {
    await makePlaces(client, organizationId, size);
    await fillLedger(client, organizationId, say);
  });
}

/** What autovacuum would have done by the time so much was written, and a checkpoint, so that none falls into a measurement. */
const settle = (stage: Stage): Promise<void[]> =>
  Promise.all((["portfolio", "ledger"] as const).map((service) => withClient(stage, service, async (client) => void (await client.query("vacuum (analyze)")))));

const since = (started: number) => `${((performance.now() - started) / 1_000).toFixed(0)} s`;

/** Two organizations of the large one's size with all that portfolio keeps of them, and no books. */
export async function growPortfolio(stage: Stage, say: (text: string) => void): Promise<Office> {
  const [office, beside] = await Promise.all([anOffice(stage.system.baseUrl), anOffice(stage.system.baseUrl)]);
  const started = performance.now();
  await Promise.all([fillPlaces(stage, office, sizeOf(1, LARGE_LINES)), fillPlaces(stage, beside, sizeOf(2, LARGE_LINES))]);
  await withClient(stage, "portfolio", async (client) => {
    await client.query("vacuum (analyze)");
    await prove(client, []);
  });
  say(`Filled and proven two portfolios of ${sizeOf(1, LARGE_LINES).leases} units in ${since(started)}.`);
  return office;
}

/** A small organization and a large one, with a second large one beside them, all proven to be right. */
export async function grow(stage: Stage, say: (text: string) => void): Promise<Grown> {
  const [small, large, beside] = await Promise.all([anOffice(stage.system.baseUrl), anOffice(stage.system.baseUrl), anOffice(stage.system.baseUrl)]);
  const started = performance.now();
  await fillOne(stage, small, sizeOf(1, SMALL_LINES), () => undefined);
  await Promise.all([fillOne(stage, large, sizeOf(2, LARGE_LINES), say), fillOne(stage, beside, sizeOf(3, LARGE_LINES), say)]);
  say(`Filled two organizations of ${LARGE_LINES} lines and one of ${SMALL_LINES} in ${since(started)}.`);
  await settle(stage);
  say(`Vacuumed and analyzed after ${since(started)}.`);
  await withClient(stage, "portfolio", (client) => prove(client, []));
  await withClient(stage, "ledger", (client) =>
    prove(
      client,
      [small, large, beside].map(({ organizationId }) => organizationId),
    ),
  );
  for (const office of [small, large, beside]) {
    const { trialBalance } = await office.call("getTrialBalance", { query: { asOf: "2199-12-31" } });
    if (!trialBalance.isBalanced) throw new Error(`The books of ${office.organizationId} do not balance.`);
  }
  const { rows } = await withClient(stage, "ledger", async (client) => {
    await client.query("checkpoint");
    return client.query<{ size: string; lines: string }>(
      "select pg_size_pretty(sum(pg_database_size(oid))) as size, (select count(*) from journal_line where organization_id = $1) as lines from pg_database",
      [large.organizationId],
    );
  });
  say(`Proven after ${since(started)}: ${rows[0]!.lines} lines in the large one, ${rows[0]!.size} on disk.`);
  return { small, large, smallLeases: sizeOf(1, SMALL_LINES).leases };
}
