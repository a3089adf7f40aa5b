/** The database keeps organizations apart by itself: what a service forgets to ask for, it does not get. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { anOffice, type Office } from "./support/office.ts";
import { running, type RunningSystem } from "./support/running.ts";
import { createFixtures } from "./support/world.ts";

type Service = keyof RunningSystem["databaseUrls"];
const { databaseUrls } = running();
const services = Object.keys(databaseUrls) as Service[];

/** Tables that are read across organizations, or belong to none, and why that is right. */
const kit = {
  outbox: "The relay publishes the events of all organizations in order.",
  relay_lease: "Says which replica is the relay; belongs to no organization.",
  consumer_replica: "Says which replicas of a consumer live; belongs to no organization.",
  consumer_share: "Says which replica reads which events and how far it came; belongs to no organization.",
  inbox: "Marks events as consumed by their ids; holds nothing of an organization.",
  parked_event: "Events are tried again for all organizations by one loop.",
  work_request: "Work is asked for inside each organization, and taken up for all of them.",
  scheduled_work: "Due work is found across organizations, then done inside each.",
  migration: "What was migrated; belongs to no organization.",
};
const unguarded: Record<Service, Record<string, string>> = {
  identity: {
    ...kit,
    sign_in_address: "Signing in starts with an address and no organization.",
    signing_key: "The keys are the deployment's.",
    short_link: "A short link is followed before anybody knows of which organization it is; nothing in it can be read without the link.",
    sign_in_tries: "Counts tries by address and account, before anybody is known.",
  },
  portfolio: {
    ...kit,
    search_entry: "Guarded against the service; its owner sees past the wall in the two functions that search, each inside the organization of the request.",
  },
  ledger: {
    ...kit,
    search_entry: "Guarded against the service; its owner sees past the wall in the one function that searches, inside the organization of the request.",
  },
  communications: { ...kit, outbox_message: "The development outbox is read without signing in; there is none in production." },
  imports: kit,
};

let a: Office;
let b: Office;
const open: pg.Client[] = [];
const clients = {} as Record<Service, { owner: pg.Client; service: pg.Client }>;

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  open.push(client);
  return client;
}

beforeAll(async () => {
  [a, b] = await Promise.all([anOffice(), anOffice()]);
  await Promise.all([createFixtures(a), createFixtures(b)]);
  for (const name of services) clients[name] = { owner: await connect(databaseUrls[name].owner), service: await connect(databaseUrls[name].service) };
});
afterAll(() => Promise.all(open.map((client) => client.end())));

interface Table {
  name: string;
  isEnabled: boolean;
  isForced: boolean;
}

const tablesOf = async (name: Service): Promise<Table[]> =>
  (
    await clients[name].owner.query<Table>(
      `select c.relname as name, c.relrowsecurity as "isEnabled", c.relforcerowsecurity as "isForced" from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
    )
  ).rows;
const guardedOf = async (name: Service) => (await tablesOf(name)).map((table) => table.name).filter((table) => !unguarded[name][table]);

/** Runs inside a transaction of the service's role that is given an organization, and undoes everything. */
async function as<T>(name: Service, organizationId: string | undefined, work: (client: pg.Client) => Promise<T>): Promise<T> {
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
  test("guards every table, against its owner too, but for those that are listed with a reason", async () => {
    const tables = await tablesOf(name);
    const open = tables.filter((table) => !table.isEnabled || !table.isForced).map((table) => table.name);
    expect(open.toSorted()).toEqual(Object.keys(unguarded[name]).toSorted());
  });

  test("lets every reference and every key of a guarded table begin with the organization", async () => {
    const { rows } = await clients[name].owner.query<{ name: string; table: string }>(
      `select con.conname as name, con.conrelid::regclass::text as table from pg_constraint con
       join pg_attribute first on first.attrelid = con.conrelid and first.attnum = con.conkey[1]
       where con.connamespace = 'public'::regnamespace and con.contype in ('p', 'f') and first.attname <> 'organization_id'`,
    );
    expect(rows.filter(({ table }) => !unguarded[name][table])).toEqual([]);
  });

  test("shows the service nothing before it says for whom it asks", async () => {
    for (const table of await guardedOf(name)) expect([table, await as(name, undefined, (client) => organizationsIn(client, table))]).toEqual([table, []]);
  });

  test("shows the service that serves one organization only its rows, whatever it forgets to ask", async () => {
    const filled: string[] = [];
    for (const table of await guardedOf(name)) {
      const seen = await as(name, a.organizationId, (client) => organizationsIn(client, table));
      expect([table, seen.filter((id) => id !== a.organizationId)]).toEqual([table, []]);
      if (seen.length > 0) filled.push(table);
    }
    // Tables that are empty would prove nothing.
    const mustBeFilled: Record<Service, string[]> = {
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
    expect(filled).toEqual(expect.arrayContaining(mustBeFilled[name]));
  });

  test("lets the service that serves one organization write and delete no row of another", async () => {
    for (const table of await guardedOf(name)) {
      const inserting = as(name, a.organizationId, (client) => client.query(`insert into ${table} (organization_id) values ($1)`, [b.organizationId]));
      await expect(inserting).rejects.toMatchObject({ code: "42501" });
      const deleted = await as(name, a.organizationId, (client) =>
        client.query(`delete from ${table} where organization_id = $1`, [b.organizationId]).then(
          ({ rowCount }) => rowCount,
          (error: { code?: string }) => (error.code === "42501" ? 0 : error),
        ),
      );
      expect([table, deleted]).toEqual([table, 0]);
    }
  });

  test("forgets the organization when the transaction ends", async () => {
    const [table] = await guardedOf(name);
    await as(name, a.organizationId, (client) => client.query("select 1"));
    expect(await organizationsIn(clients[name].service, table!)).toEqual([]);
  });

  test("gives the service a role that owns nothing, cannot pass the walls, and reaches no other database", async () => {
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
