/** Row-level security: the database isolates organizations even if a query of a service does not filter by organization. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { anOffice, type Office } from "./support/office.ts";
import { running, type RunningSystem } from "./support/running.ts";
import { createFixtures } from "./support/world.ts";

type Service = keyof RunningSystem["databaseUrls"];
const { databaseUrls } = running();
const services = Object.keys(databaseUrls) as Service[];

/** Returns an entry for a table and for each of its eight partitions. */
function slotsOf(table: string, reason: string): Record<string, string> {
  return Object.fromEntries([table, ...Array.from({ length: 8 }, (_, slot) => `${table}_${slot}`)].map((name) => [name, reason]));
}

/** Tables of every service without enforced row-level security, with the reason. */
const kitTables = {
  ...slotsOf("outbox", "The relay publishes the events of all organizations in order."),
  relay_state: "Holds the lease and the progress of the relay; belongs to no organization.",
  consumer_replica: "Lists the live replicas of a consumer; belongs to no organization.",
  consumer_share: "Holds the partition leases of a consumer and their positions; belongs to no organization.",
  ...slotsOf("inbox", "Holds the ids of consumed events; no data of an organization."),
  parked_event: "One loop retries the events of all organizations.",
  work_request: "Job runs are requested within an organization and started for all of them.",
  scheduled_work: "Due jobs are claimed across organizations and run within each.",
  migration: "Lists the applied migrations; belongs to no organization.",
};
/** Tables without enforced row-level security by service, with the reason. */
const unprotected: Record<Service, Record<string, string>> = {
  identity: {
    ...kitTables,
    sign_in_address: "Signing in looks up an e-mail address before the organization is known.",
    signing_key: "The keys belong to the deployment.",
    short_link: "A short link is resolved before the organization is known; its row cannot be read without the link.",
    sign_in_tries: "Counts sign-in attempts by address and account, before authentication.",
  },
  portfolio: {
    ...kitTables,
    contact_phone: "The organizations that STOP concerns are looked up by a phone number; holds nothing else.",
    search_entry: "Protected from the service's role; two search functions bypass it as the owner, each within the organization of the request.",
  },
  ledger: {
    ...kitTables,
    search_entry: "Protected from the service's role; one search function bypasses it as the owner, within the organization of the request.",
    transaction_era: "Lists the database clusters that assigned transaction ids; belongs to no organization.",
  },
  communications: {
    ...kitTables,
    outbox_message: "The development outbox is read without authentication and does not exist in production.",
    webhook_receipt: "A webhook event is stored before its organization is known; holds ids and no content.",
    ...slotsOf("webhook_body", "The content of a webhook event is stored before its organization is known; only jobs read it."),
    message_route: "The organization of a webhook event is looked up by the addresses and ids of messages; holds nothing else.",
    stopped_number: "STOP of a phone number concerns all organizations, also those that record it later; holds the number and two times.",
  },
  imports: kitTables,
};

/** Tables in which the fixtures have rows. */
const tablesOfFixtures: Record<Service, string[]> = {
  identity: ["app_user", "organization", "session"],
  portfolio: [
    "billing_schedule",
    "billing_step",
    "lease",
    "parking_right",
    "property",
    "rent_change",
    "tenant",
    "unit",
    "work_order",
    "work_order_change",
    "work_order_estimate",
    "inspection",
    "inspection_template",
  ],
  ledger: ["charge", "journal_entry", "journal_line", "payment"],
  communications: ["notification"],
  imports: ["import_bundle", "import_candidate", "import_file", "import_mapping_profile"],
};

let office: Office;
let otherOffice: Office;
const openClients: pg.Client[] = [];
const clients = {} as Record<Service, { owner: pg.Client; service: pg.Client }>;

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  openClients.push(client);
  return client;
}

beforeAll(async () => {
  [office, otherOffice] = await Promise.all([anOffice(), anOffice()]);
  await Promise.all([createFixtures(office), createFixtures(otherOffice)]);
  for (const name of services) clients[name] = { owner: await connect(databaseUrls[name].owner), service: await connect(databaseUrls[name].service) };
});
afterAll(() => Promise.all(openClients.map((client) => client.end())));

interface Table {
  name: string;
  isEnabled: boolean;
  isForced: boolean;
}

const listTables = async (name: Service): Promise<Table[]> =>
  (
    await clients[name].owner.query<Table>(
      `select c.relname as name, c.relrowsecurity as "isEnabled", c.relforcerowsecurity as "isForced" from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
    )
  ).rows;
const listProtectedTables = async (name: Service) => (await listTables(name)).map((table) => table.name).filter((table) => !unprotected[name][table]);

/** Runs work in a transaction of the service's role, scoped to an organization if one is passed, and rolls it back. */
async function inOrganization<T>(name: Service, organizationId: string | undefined, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { service } = clients[name];
  await service.query("begin");
  try {
    if (organizationId) await service.query("select set_config('app.organization_id', $1, true)", [organizationId]);
    return await work(service);
  } finally {
    await service.query("rollback");
  }
}

const organizationsIn = async (client: pg.Client, table: string) =>
  (await client.query<{ organization_id: string }>(`select distinct organization_id from ${table}`)).rows.map((row) => row.organization_id);

describe.each(services)("the database of %s", (name) => {
  test("enforces row-level security on every table, also for its owner, except the listed ones", async () => {
    const tables = await listTables(name);
    const unprotectedTables = tables.filter((table) => !table.isEnabled || !table.isForced).map((table) => table.name);
    expect(unprotectedTables.toSorted()).toEqual(Object.keys(unprotected[name]).toSorted());
  });

  test("starts every primary and foreign key of a protected table with the organization", async () => {
    const { rows } = await clients[name].owner.query<{ name: string; table: string }>(
      `select con.conname as name, con.conrelid::regclass::text as table from pg_constraint con
       join pg_attribute first on first.attrelid = con.conrelid and first.attnum = con.conkey[1]
       where con.connamespace = 'public'::regnamespace and con.contype in ('p', 'f') and first.attname <> 'organization_id'`,
    );
    expect(rows.filter(({ table }) => !unprotected[name][table])).toEqual([]);
  });

  test("returns no rows to the service without an organization", async () => {
    for (const table of await listProtectedTables(name))
      expect([table, await inOrganization(name, undefined, (client) => organizationsIn(client, table))]).toEqual([table, []]);
  });

  test("returns only the rows of the current organization to the service, without a filter", async () => {
    const tablesWithRows: string[] = [];
    for (const table of await listProtectedTables(name)) {
      const organizations = await inOrganization(name, office.organizationId, (client) => organizationsIn(client, table));
      expect([table, organizations.filter((id) => id !== office.organizationId)]).toEqual([table, []]);
      if (organizations.length > 0) tablesWithRows.push(table);
    }
    // An empty table would pass without proving anything.
    expect(tablesWithRows).toEqual(expect.arrayContaining(tablesOfFixtures[name]));
  });

  test("prevents the service from inserting and deleting rows of another organization", async () => {
    for (const table of await listProtectedTables(name)) {
      const insertion = inOrganization(name, office.organizationId, (client) =>
        client.query(`insert into ${table} (organization_id) values ($1)`, [otherOffice.organizationId]),
      );
      await expect(insertion).rejects.toMatchObject({ code: "42501" });
      const deleted = await inOrganization(name, office.organizationId, (client) =>
        client.query(`delete from ${table} where organization_id = $1`, [otherOffice.organizationId]).then(
          ({ rowCount }) => rowCount,
          (error: { code?: string }) => (error.code === "42501" ? 0 : error),
        ),
      );
      expect([table, deleted]).toEqual([table, 0]);
    }
  });

  test("prepares at most eight sub-plans for the policies of a table, since each is prepared for every statement, also of the office", async () => {
    const costly: [string, number][] = [];
    for (const table of await listProtectedTables(name)) {
      const { rows } = await clients[name].service.query<{ "QUERY PLAN": string }>(`explain select from ${table}`);
      const subPlans = rows.filter((row) => /^\s*(InitPlan|SubPlan) /.test(row["QUERY PLAN"])).length;
      if (subPlans > 8) costly.push([table, subPlans]);
    }
    expect(costly).toEqual([]);
  });

  test("resets the organization when the transaction ends", async () => {
    const [table] = tablesOfFixtures[name];
    expect(await inOrganization(name, office.organizationId, (client) => organizationsIn(client, table!))).toEqual([office.organizationId]);
    expect(await organizationsIn(clients[name].service, table!)).toEqual([]);
  });

  test("gives the service a role that owns nothing, cannot bypass row-level security, and can access no other database", async () => {
    const { rows } = await clients[name].service.query(
      `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication,
        (select count(*)::int from pg_class where relowner = r.oid) as owned,
        (select count(*)::int from pg_auth_members where member = r.oid) as memberships,
        has_schema_privilege(r.oid, 'public', 'create') as creates
       from pg_roles r where rolname = current_user`,
    );
    expect(rows).toEqual([
      { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false, owned: 0, memberships: 0, creates: false },
    ]);
    for (const other of services.filter((each) => each !== name)) {
      const url = new URL(databaseUrls[name].service);
      url.pathname = new URL(databaseUrls[other].service).pathname;
      const client = new pg.Client({ connectionString: url.href });
      await expect(client.connect()).rejects.toMatchObject({ code: "42501" });
      await client.end().catch(() => undefined);
    }
  });
});
