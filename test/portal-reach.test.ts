/**
 * Reach of portal users: the database alone, without any condition of the services, shows a tenant, owner or vendor no row of another one. Each
 * test reads and writes with the role of a service and the settings of its statements.
 */
import { randomUUID } from "node:crypto";
import { portalRoles, type PortalRole } from "@freehold/contract/roles";
import { portalUserOf } from "@freehold/kit/auth/principal";
import { addDays } from "@freehold/kit/time/plain-date";
import { today } from "@freehold/kit/time/clock";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import pg from "pg";
import { anOffice, type Office } from "./support/office.ts";
import { running } from "./support/running.ts";
import { aCharge, aPayment, aTenancy } from "./support/tenancy.ts";
import { IDEMPOTENCY_KEYS, privilegedFunctions, reached, type Service } from "./portal-reach.lists.ts";
import { createFixtures, type Fixtures } from "./support/world.ts";

const { databaseUrls } = running();
const services = Object.keys(databaseUrls) as Service[];
const TIMEZONE = "America/New_York";

let office: Office;
let own: Fixtures;
let neighbour: Fixtures;
let foreign: Fixtures;
let foreignOffice: Office;
const openClients: pg.Client[] = [];
const clients = {} as Record<Service, { owner: pg.Client; service: pg.Client }>;

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  openClients.push(client);
  return client;
}

/** Shares a note and a document of each kind with the portals, so that an organization's tables have shared rows of several subjects. */
async function shareRecords(of: Office, { property, lease, workOrder, tenant, owner, vendor }: Fixtures): Promise<void> {
  const upload = (
    entityType: "property" | "lease" | "tenant" | "owner" | "vendor",
    entityId: string,
    visibility: "tenant_shared" | "owner_shared" | "vendor_shared",
  ) => of.call("uploadDocument", { body: { file: new File([`For ${entityId}\n`], "shared.txt"), entityType, entityId, visibility } });
  await upload("lease", lease, "tenant_shared");
  await upload("tenant", tenant, "tenant_shared");
  await upload("property", property, "owner_shared");
  await upload("owner", owner, "owner_shared");
  await upload("vendor", vendor, "vendor_shared");
  await of.call("updateWorkOrder", { params: { id: workOrder }, body: { tenantId: tenant, visibility: "tenant_vendor_shared" } });
  await of.call("createNote", { body: { body: "Ring twice.", entityType: "work_order", entityId: workOrder, visibility: "tenant_vendor_shared" } });
  const insurance = { kind: "liability" as const, provider: "Shield", policyNumber: "1", expiresOn: "2199-12-31" };
  await of.call("updateVendor", { params: { id: vendor }, body: { insurances: [insurance] } });
}

beforeAll(async () => {
  [office, foreignOffice] = await Promise.all([anOffice(), anOffice()]);
  [own, neighbour, foreign] = await Promise.all([createFixtures(office), createFixtures(office), createFixtures(foreignOffice)]);
  await Promise.all([shareRecords(office, own), shareRecords(office, neighbour), shareRecords(foreignOffice, foreign)]);
  for (const name of services) clients[name] = { owner: await connect(databaseUrls[name].owner), service: await connect(databaseUrls[name].service) };
});
afterAll(() => Promise.all(openClients.map((client) => client.end())));

/** Returns the setting of a portal user with the subject, without access to any account. */
const userOf = (role: PortalRole, subjectId: string | null) =>
  portalUserOf({ organizationId: office.organizationId, userId: randomUUID(), role, subjectId, timezone: TIMEZONE });
/** Returns the setting of a portal user with the records that portfolio tells: the lease of a tenant, the property of an owner. */
const userWith = (fixtures: Fixtures, role: PortalRole) => {
  const record = { tenant: fixtures.lease, owner: fixtures.property, vendor: "" }[role];
  return `${userOf(role, fixtures[role])}:${record}`;
};

interface Scope {
  /** Empty for the office. */
  portalUser: string;
  /** Takes the reach out: every statement counts as one of the office. */
  withoutReach?: boolean;
}

/** Runs work in a transaction with the settings of a statement and rolls it back. */
async function inScope<T>(name: Service, { portalUser, withoutReach = false }: Scope, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = withoutReach ? clients[name].owner : clients[name].service;
  await client.query("begin");
  try {
    if (withoutReach) await client.query("create or replace function is_office() returns boolean language sql stable parallel safe as 'select true'");
    await client.query("select set_config('app.organization_id', $1, true), set_config('app.portal_user', $2, true)", [office.organizationId, portalUser]);
    return await work(client);
  } finally {
    await client.query("rollback");
  }
}

const listTables = async (name: Service): Promise<string[]> =>
  (
    await clients[name].owner.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relrowsecurity order by 1",
    )
  ).rows.map((row) => row.name);

const textsIn = async (client: pg.Client, table: string): Promise<string[]> =>
  (await client.query<{ text: string }>(`select to_jsonb(t)::text as text from ${table} t`)).rows.map(({ text }) => text);

/** Returns which of the fixtures are mentioned in the rows of a table, without those that are also fixtures of the own record, such as accounts of the chart. */
const mentioned = (texts: readonly string[], fixtures: Fixtures): string[] =>
  Object.entries(fixtures).flatMap(([kind, id]) => {
    const isShared = fixtures !== own && own[kind as keyof Fixtures] === id;
    return !isShared && texts.some((text) => text.includes(id)) ? [kind] : [];
  });

/** Returns each table in which a portal user sees a row that mentions one of the fixtures. */
async function findLeaks(name: Service, scope: Scope, fixtures: Fixtures): Promise<string[]> {
  const leaks: string[] = [];
  for (const table of await listTables(name)) {
    const kinds = mentioned(await inScope(name, scope, (client) => textsIn(client, table)), fixtures);
    if (kinds.length > 0) leaks.push(`${table}: ${kinds.join(", ")}`);
  }
  return leaks;
}

describe.each(services)("the database of %s", (name) => {
  test("has a reach of portal users in the listed tables alone, and closes all others to them", async () => {
    const { rows } = await clients[name].owner.query<{ table: string; policy: string; using: string }>(
      `select tablename as table, policyname as policy, qual as using from pg_policies where schemaname = 'public' and roles = '{public}' order by 1`,
    );
    const policies = Map.groupBy(rows, ({ table }) => table);
    const open = [...policies].flatMap(([table, ofTable]) => (ofTable.some(({ policy }) => policy === "portal_reach") ? [table] : []));
    expect(open.toSorted()).toEqual([...reached[name], IDEMPOTENCY_KEYS].toSorted());
    const closed = [...policies].filter(([table]) => !open.includes(table));
    for (const [table, ofTable] of closed)
      expect([table, ofTable.map(({ policy, using }) => [policy, using.includes("office_organization()")])]).toEqual([table, [["own_organization", true]]]);
    expect([...policies.keys()].toSorted()).toEqual(await listTables(name));
  });

  test("shows and takes nothing in a table without a reach", async () => {
    for (const table of (await listTables(name)).filter((each) => !reached[name].includes(each) && each !== IDEMPOTENCY_KEYS))
      for (const role of portalRoles) {
        const scope = { portalUser: userWith(own, role) };
        expect([table, role, await inScope(name, scope, (client) => textsIn(client, table))]).toEqual([table, role, []]);
        const insertion = inScope(name, scope, (client) => client.query(`insert into ${table} (organization_id) values ($1)`, [office.organizationId]));
        await expect(insertion).rejects.toMatchObject({ code: "42501" });
      }
  });

  test("runs with the owner's privileges only the listed functions, which portal users cannot search with", async () => {
    const { rows } = await clients[name].owner.query<{ name: string; body: string }>(
      "select proname as name, prosrc as body from pg_proc where pronamespace = 'public'::regnamespace and prosecdef order by 1",
    );
    expect(rows.map((fn) => fn.name)).toEqual(privilegedFunctions[name]);
    const searching = rows.filter(({ body }) => /from search_entry\b/.test(body) && !/\bdelete from search_entry\b/.test(body));
    expect(searching.filter(({ body }) => !body.includes("portal_role() is null"))).toEqual([]);
  });
});

describe.each(portalRoles)("a %s", (role) => {
  test("sees the own records and no row that mentions a record of another portal user or organization", async () => {
    const seen: string[] = [];
    for (const name of services) {
      const scope = { portalUser: userWith(own, role) };
      expect([name, await findLeaks(name, scope, neighbour)]).toEqual([name, []]);
      expect([name, await findLeaks(name, scope, foreign)]).toEqual([name, []]);
      seen.push(...(await findLeaks(name, scope, own)).map((leak) => leak.split(":")[0]!));
    }
    const expected: Record<PortalRole, string[]> = {
      tenant: [
        "document",
        "lease",
        "lease_occupant",
        "note",
        "property",
        "tenant",
        "unit",
        "work_order",
        "charge",
        "charge_credit",
        "journal_entry",
        "journal_line",
        "lease_copy",
        "payment",
        "payment_allocation",
        "property_copy",
        "security_deposit",
        "tenant_copy",
      ],
      owner: [
        "document",
        "lease",
        "lease_occupant",
        "owner",
        "property",
        "property_owner",
        "tenant",
        "unit",
        "work_order",
        "work_order_estimate",
        "charge",
        "expense",
        "journal_entry",
        "journal_line",
        "lease_copy",
        "owner_statement",
        "property_copy",
        "unit_copy",
      ],
      vendor: [
        "document",
        "note",
        "property",
        "vendor",
        "vendor_insurance",
        "work_order",
        "work_order_estimate",
        "expense",
        "expense_allocation",
        "expense_payment",
      ],
    };
    // A user who sees nothing would pass without proving anything.
    expect(seen).toEqual(expect.arrayContaining(expected[role]));
  });

  test("sees rows of the neighbour when the reach is taken out", async () => {
    const leaks = await findLeaks("portfolio", { portalUser: userWith(own, role), withoutReach: true }, neighbour);
    expect(leaks.map((leak) => leak.split(":")[0])).toEqual(expect.arrayContaining(["document", "invite", "lease", "note", "tenant", "work_order"]));
  });

  test("sees nothing of anybody without a subject", async () => {
    const scope = { portalUser: userOf(role, null) };
    for (const name of services) expect([name, await findLeaks(name, scope, own), await findLeaks(name, scope, neighbour)]).toEqual([name, [], []]);
  });

  test("cannot insert, change or delete a row of another portal user", async () => {
    const scope = { portalUser: userWith(own, role) };
    const attempted: string[] = [];
    for (const name of services)
      for (const table of reached[name]) {
        const { columns, rows } = await inScope(name, { portalUser: "" }, (client) => rowsToCopy(client, table));
        for (const { row, text } of rows.filter(({ text: copied }) => mentioned([copied], neighbour).length > 0).slice(0, 3)) {
          const copy = `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1)`;
          const change = `update ${table} t set organization_id = organization_id where to_jsonb(t)::text = $1`;
          const deletion = `delete from ${table} t where to_jsonb(t)::text = $1`;
          const outcomes = [
            await inScope(name, scope, (client) => outcomeOf(client.query(copy, [row]))),
            await inScope(name, scope, (client) => outcomeOf(client.query(change, [text]))),
            await inScope(name, scope, (client) => outcomeOf(client.query(deletion, [text]))),
          ];
          // A change is refused by a privilege, or finds no row.
          expect([table, outcomes[0], outcomes.filter((outcome) => outcome !== 0 && outcome !== "42501")]).toEqual([table, "42501", []]);
          attempted.push(table);
        }
      }
    const inPortfolio = ["document", "lease", "lease_occupant", "note", "tenant", "vendor", "work_order", "work_order_estimate"];
    const inLedger = [
      "charge",
      "expense",
      "expense_payment",
      "journal_entry",
      "journal_line",
      "owner_payable",
      "owner_statement",
      "payment",
      "security_deposit",
    ];
    expect(attempted).toEqual(expect.arrayContaining([...inPortfolio, ...inLedger]));
  });
});

/** Returns the rows of a table, and its columns that are not generated. */
async function rowsToCopy(client: pg.Client, table: string): Promise<{ columns: string; rows: { row: object; text: string }[] }> {
  const { rows: columns } = await client.query<{ name: string }>(
    "select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''",
    [table],
  );
  const { rows } = await client.query<{ row: object; text: string }>(`select to_jsonb(t) as row, to_jsonb(t)::text as text from ${table} t`);
  return { columns: columns.map(({ name }) => `"${name}"`).join(", "), rows };
}

/** Returns the number of rows that a statement has written, or the code of its error. */
const outcomeOf = (statement: Promise<pg.QueryResult>): Promise<number | string | null> =>
  statement.then(
    ({ rowCount }) => rowCount,
    (error: { code?: string }) => error.code ?? "unknown",
  );

describe("a former", () => {
  const see = (portalUser: string, table: string, id: string) =>
    inScope("portfolio", { portalUser }, async (client) => (await client.query(`select 1 from ${table} where id = $1`, [id])).rowCount);

  test("tenant sees neither the lease after the release nor the tenants who stayed", async () => {
    const day = today(TIMEZONE);
    const { tenant: coTenant } = await office.call("createTenant", { body: { fullName: "Carla Co" } });
    const { leaseId, unitId, tenantId } = await aTenancy(office, { coTenantId: coTenant.id });
    const user = userOf("tenant", coTenant.id);
    expect([await see(user, "lease", leaseId), await see(user, "tenant", tenantId), await see(user, "unit", unitId)]).toEqual([1, 1, 1]);
    const { occupants } = await office.call("listOccupants", { params: { leaseId } });
    const params = { id: occupants.find((occupant) => occupant.tenantId === coTenant.id)!.id };
    await office.call("releaseOccupant", { params, body: { releasedOn: addDays(day, -1) } });
    expect([await see(user, "lease", leaseId), await see(user, "tenant", tenantId), await see(user, "unit", unitId)]).toEqual([0, 0, 0]);
    expect(await see(user, "tenant", coTenant.id)).toBe(1);
  });

  test("owner does not see the property, its leases and its work orders", async () => {
    const { propertyId, leaseId } = await aTenancy(office);
    const { owner } = await office.call("createOwner", { body: { fullName: "Former Owner", email: `${randomUUID()}@example.com` } });
    const setOwners = (ownerIds: string[]) => office.call("updateProperty", { params: { id: propertyId }, body: { ownerIds } });
    await setOwners([owner.id]);
    const { workOrder } = await office.call("createWorkOrder", { body: { propertyId, title: "The roof leaks" } });
    const user = userOf("owner", owner.id);
    const seen = async () => [await see(user, "property", propertyId), await see(user, "lease", leaseId), await see(user, "work_order", workOrder.id)];
    expect(await seen()).toEqual([1, 1, 1]);
    await setOwners([neighbour.owner]);
    expect(await seen()).toEqual([0, 0, 0]);
  });

  test("vendor does not see a work order that was assigned to another one", async () => {
    const { workOrder } = await office.call("createWorkOrder", { body: { propertyId: own.property, title: "The door sticks", vendorId: own.vendor } });
    const user = userOf("vendor", own.vendor);
    expect(await see(user, "work_order", workOrder.id)).toBe(1);
    await office.call("updateWorkOrder", { params: { id: workOrder.id }, body: { vendorId: neighbour.vendor } });
    expect(await see(user, "work_order", workOrder.id)).toBe(0);
  });
});

test("a released tenant sees what is dated before the release and the own payments in the ledger", async () => {
  const { tenant: coTenant } = await office.call("createTenant", { body: { fullName: "Carla Co" } });
  const { leaseId, tenantId } = await aTenancy(office, { coTenantId: coTenant.id });
  const before = await aCharge(office, leaseId, 1_000, "2026-01-31");
  await aCharge(office, leaseId, 1_000, "2026-02-01");
  await office.call("recordPayment", { body: { ...aPayment({ tenantId, leaseId }, 500), receivedAt: "2026-02-01T12:00:00.000Z" } });
  const own = { ...aPayment({ tenantId: coTenant.id, leaseId }, 500), receivedAt: "2026-02-01T12:00:00.000Z" };
  const { payment: ownPayment } = await office.call("recordPayment", { body: own });
  const ids = async (table: string) =>
    inScope("ledger", { portalUser: `${userOf("tenant", coTenant.id)}:${leaseId}@2026-02-01` }, async (client) =>
      (await client.query<{ id: string }>(`select id from ${table} order by id`)).rows.map(({ id }) => id),
    );
  expect(await ids("charge")).toEqual([before]);
  expect(await ids("payment")).toEqual([ownPayment.id]);
});

test("the reach of a portal user ends with the transaction", async () => {
  const { service } = clients.portfolio;
  await inScope("portfolio", { portalUser: userOf("tenant", own.tenant) }, (client) => textsIn(client, "lease"));
  const { rows } = await service.query("select coalesce(current_setting('app.portal_user', true), '') as setting");
  expect(rows).toEqual([{ setting: "" }]);
});
