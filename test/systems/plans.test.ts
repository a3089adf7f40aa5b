/** Query plans: every paged list and every search finds its rows, with each of its filters and sort orders, by an index that starts with the organization. */
import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { operations } from "@freehold/contract";
import type { Role } from "@freehold/contract/roles";
import { clusterDir } from "../../deploy/system/postgres.ts";
import { services } from "../../deploy/system/secrets.ts";
import { startSystem, type System } from "../../deploy/system/system.ts";
import { Client } from "../support/client.ts";
import { anOffice, type Office } from "../support/office.ts";
import { queryVariants } from "../support/samples.ts";
import { testSettings } from "../support/settings.ts";
import { eventually, EVENTUALLY_TIMEOUT_MS } from "../support/eventually.ts";
import { waitForRecovery } from "./faults/suite.ts";
import { memberFixtureId, pathFixtureId } from "../support/fixtures/fixture-ids.ts";
import { createFixtures, type Fixtures } from "../support/world.ts";
import { asSuperuser } from "./faults/invariants.ts";
import { createReadyBundle, csvFile } from "../../services/imports/test/bundles.ts";
import { catalogueOf, indexConditions, plansIn, readsProtectedTable, scansWithoutOrganization, type Catalogue } from "./plans/plan.ts";

const dataDir = mkdtempSync(join(tmpdir(), "freehold-planned-"));
let system: System;
let office: Office;
let fixtures: Fixtures;
const tokens = {} as Record<Role, string>;
const catalogues: Record<string, Catalogue> = {};

/** Makes PostgreSQL log the plan of every statement of the services. Disables sequential scans, because the planner would prefer them for such small tables. */
const enablePlanLogging = () =>
  asSuperuser(system, "identity", async (client) => {
    const settings = {
      session_preload_libraries: "auto_explain",
      "auto_explain.log_min_duration": "0",
      "auto_explain.log_format": "json",
      "auto_explain.log_nested_statements": "on",
      log_min_messages: "log",
      enable_seqscan: "off",
    };
    for (const name of services)
      for (const [setting, value] of Object.entries(settings)) await client.query(`alter role ${name}_service set ${setting} = '${value}'`);
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where usename like '%_service'");
  });

const logFile = () => join(clusterDir(join(dataDir, "postgres")), "log", "plans.log");
const logSize = () => statSync(logFile()).size;
/** Returns PostgreSQL's log from an offset in bytes. */
function readLog(from: number): string {
  const file = openSync(logFile(), "r");
  try {
    const bytes = Buffer.alloc(fstatSync(file).size - from);
    return bytes.toString("utf8", 0, readSync(file, bytes, 0, bytes.length, from));
  } finally {
    closeSync(file);
  }
}
/**
 * Returns PostgreSQL's log from an offset up to this call. Another process writes the log with a delay, so a marker is logged and
 * awaited. An entry after the marker may be written only in part, so it is left out.
 */
async function readLogUntilNow(from: number): Promise<string> {
  const marker = `marker ${randomUUID()}`;
  await asSuperuser(system, "identity", (client) => client.query(`do $$ begin raise log '${marker}'; end $$`));
  return eventually("marker in the log", () => {
    const [log, ...rest] = readLog(from).split(marker);
    return Promise.resolve(rest.length > 0 ? log : undefined);
  });
}
/** Enables the log collector. Without it, PostgreSQL's processes share one pipe, and entries of more than 4 KiB may be interleaved. */
const logCollectorSettings = { logging_collector: "on", log_directory: "log", log_filename: "plans.log", log_rotation_age: "0", log_rotation_size: "0" };

beforeAll(async () => {
  system = await startSystem({
    dataDir,
    host: "127.0.0.1",
    port: 0,
    fsync: "off",
    postgresSettings: logCollectorSettings,
    environment: { ...testSettings, VALIDATE_RESPONSES: "false" },
  });
  office = await anOffice(system.baseUrl);
  fixtures = await createFixtures(office);
  tokens.admin = office.token!;
  tokens.tenant = (await office.tenantUser(fixtures.tenant)).token!;
  tokens.owner = (await office.ownerUser(fixtures.owner)).token!;
  tokens.vendor = (await office.vendorUser(fixtures.vendor)).token!;
  for (const name of services) catalogues[name] = await asSuperuser(system, name, catalogueOf);
  await enablePlanLogging();
  await waitForRecovery(system, "the connections were ended", EVENTUALLY_TIMEOUT_MS);
});
afterAll(async () => {
  await system?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const pagedOrSearchOperations = operations.filter(
  ({ operation: { method, query } }) => method === "GET" && (query?.shape["page"] ?? query?.shape["q"]) !== undefined,
);

describe("a list or search", () => {
  test("finds its rows by indexes that start with the organization", async () => {
    const violations: string[] = [];
    for (const { id, operation, service } of pagedOrSearchOperations) {
      const role = (["admin", "tenant", "owner", "vendor"] as const).find((each) => operation.access.includes(each))!;
      const caller = new Client(system.baseUrl, tokens[role]);
      const path = operation.path.replace(/\{\w+\}/g, () => pathFixtureId(fixtures, operation.path));
      const before = logSize();
      const queries = queryVariants(operation, memberFixtureId(fixtures));
      let ledgerVersion = "0";
      for (const query of queries) {
        // A report can be read only in a ledger version that an earlier report has returned.
        if (query["ledgerVersion"] !== undefined) query["ledgerVersion"] = ledgerVersion;
        const response = await caller.raw("GET", `${path}?${new URLSearchParams(query).toString()}`);
        expect([query, response.status]).toEqual([query, 200]);
        ledgerVersion = String(((await response.json()) as { ledgerVersion?: number }).ledgerVersion);
      }
      const log = await readLogUntilNow(before);
      const plans = plansIn(log).filter((plan) => readsProtectedTable(plan, catalogues[service]!));
      expect(plans.length).toBeGreaterThanOrEqual(queries.length);
      violations.push(
        ...plans.flatMap((plan) => scansWithoutOrganization(plan, catalogues[service]!).map((sentence) => `${id}: ${sentence}: ${plan.statement}`)),
      );
    }
    expect(violations).toEqual([]);
  });

  test("is reported when it scans sequentially or without the organization", async () => {
    const before = logSize();
    await asSuperuser(system, "portfolio", async (client) => {
      await client.query("load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_format = json; set log_min_messages = log");
      await client.query("/* stray */ select monthly_rent_cents from unit");
      await client.query("set enable_seqscan = off");
      await client.query("/* stray */ select count(*) from lease where tenant_id = '00000000-0000-7000-8000-000000000000'");
    });
    const plans = plansIn(await readLogUntilNow(before)).filter(({ statement }) => statement.startsWith("/* stray */"));
    expect(plans.map((plan) => scansWithoutOrganization(plan, catalogues["portfolio"]!))).toEqual([
      ["unit is scanned sequentially"],
      [expect.stringMatching(/^lease is read/)],
    ]);
  });
});

const RECORD_COUNT = 10_000;
/** Copies a record of the organization, with the values of the n-th copy. Triggers do not run. */
async function multiply(table: string, values: string): Promise<void> {
  await asSuperuser(system, "portfolio", async (client) => {
    const { rows } = await client.query<{ columns: string }>(
      "select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns where table_name = $1 and is_generated = 'NEVER'",
      [table],
    );
    await client.query(`set session_replication_role = replica;
      insert into ${table} (${rows[0]!.columns}) select ${rows[0]!.columns}
        from (select to_jsonb(r) as record from ${table} r where organization_id = '${office.organizationId}' and deleted_at is null limit 1) original, generate_series(1, ${RECORD_COUNT}) n
        cross join lateral jsonb_populate_record(null::${table}, record || jsonb_build_object('id', gen_random_uuid()) || ${values});
      analyze ${table}`);
  });
}
const personValues = (name: string) => `jsonb_build_object('${name}', 'Copy ' || n, 'email', 'copy' || n || '@example.com', 'user_id', null)`;

describe("the search of an import for existing records", () => {
  test("finds them by the indexes of their keys", async () => {
    await multiply("tenant", personValues("full_name"));
    await multiply("owner", personValues("full_name"));
    await multiply("vendor", personValues("name"));
    await multiply("property", "jsonb_build_object('name', 'Copy ' || n, 'street_line1', n || ' Copy Street')");
    await multiply("unit", "jsonb_build_object('unit_number', 'Copy ' || n)");
    const before = logSize();
    const sheets = [
      csvFile("owners.csv", "source_id,full_name,email", "O-1,Copy 7,copy7@example.com"),
      csvFile("vendors.csv", "source_id,name,email", "V-1,Copy 7,copy7@example.com"),
      csvFile("tenants.csv", "source_id,full_name,email", "T-1,Copy 7,copy7@example.com"),
      csvFile("properties.csv", "source_id,name,street_line1,city,state,postal_code", "P-1,Copy 7,7 Copy Street,Albany,NY,12207"),
      csvFile("units.csv", "source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,Copy 7,900.00"),
    ];
    const bundle = await createReadyBundle(office, "generic", ...sheets);
    expect(bundle.counts.ready_create).toBeLessThan(sheets.length);
    const plans = plansIn(await readLogUntilNow(before)).filter(({ statement }) => statement.includes("criteria as materialized"));
    const conditions = plans.flatMap(({ root }) => indexConditions(root));
    for (const [table, index, column] of [
      ["owner", "owner_by_match_name", "match_name"],
      ["owner", "owner_by_same_email", "same_email"],
      ["vendor", "vendor_by_match_name", "match_name"],
      ["vendor", "vendor_by_same_email", "same_email"],
      ["tenant", "tenant_by_match_name", "match_name"],
      ["tenant", "tenant_by_same_email", "same_email"],
      ["property", "property_by_match_name", "match_name"],
      ["property", "property_by_match_address", "match_address"],
    ])
      expect([table, conditions.find((each) => each.index === index)?.condition]).toEqual([table, expect.stringContaining(`${column} = `)]);
    expect(plans.flatMap((plan) => scansWithoutOrganization(plan, catalogues["portfolio"]!))).toEqual([]);
  });
});
