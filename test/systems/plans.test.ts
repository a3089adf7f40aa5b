/** Query plans: every list, filter, sort and search finds its rows by an index that starts with the organization. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { operations } from "@freehold/contract";
import type { Role } from "@freehold/contract/roles";
import { services } from "../../deploy/system/secrets.ts";
import { startSystem, type System } from "../../deploy/system/system.ts";
import { Client } from "../support/client.ts";
import { anOffice, type Office } from "../support/office.ts";
import { queryVariants } from "../support/samples.ts";
import { testSettings } from "../support/settings.ts";
import { createFixtures, eventually, bodyFixtureId, pathFixtureId, type Fixtures } from "../support/world.ts";
import { asSuperuser } from "./faults/invariants.ts";
import { catalogueOf, plansIn, readsProtectedTable, scansWithoutOrganization, type Catalogue } from "./plans/plan.ts";

const dataDir = mkdtempSync(join(tmpdir(), "freehold-planned-"));
let system: System;
let office: Office;
let world: Fixtures;
const tokens = {} as Record<Role, string>;
const catalogues: Record<string, Catalogue> = {};

/** Logs the plan of every statement of the services. Sequential scans are off, since the planner prefers them for such small tables. */
const explainEverything = () =>
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

const log = () => readFileSync(join(dataDir, "logs", "postgres.log"), "utf8");

beforeAll(async () => {
  system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, fsync: "off", environment: { ...testSettings, VALIDATE_RESPONSES: "false" } });
  office = await anOffice(system.baseUrl);
  world = await createFixtures(office);
  tokens.admin = office.token!;
  tokens.tenant = (await office.tenantUser(world.tenant)).token!;
  tokens.owner = (await office.ownerUser(world.owner)).token!;
  tokens.vendor = (await office.vendorUser(world.vendor)).token!;
  for (const name of services) catalogues[name] = await asSuperuser(system, name, catalogueOf);
  await explainEverything();
  await eventually("reconnected service", async () => (await fetch(`${system.baseUrl}/api/health`)).status === 200);
});
afterAll(async () => {
  await system?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const lists = operations.filter(({ operation: { method, query } }) => method === "GET" && (query?.shape["page"] ?? query?.shape["q"]) !== undefined);

describe("a list or search", () => {
  test("finds its rows by indexes that start with the organization", async () => {
    const violations: string[] = [];
    for (const { id, operation, service } of lists) {
      const role = (["admin", "tenant", "owner", "vendor"] as const).find((each) => operation.access.includes(each))!;
      const caller = new Client(system.baseUrl, tokens[role]);
      const path = operation.path.replace(/\{\w+\}/g, () => pathFixtureId(world, operation.path));
      const before = log().length;
      const queries = queryVariants(operation, bodyFixtureId(world));
      for (const query of queries) {
        const { status } = await caller.raw("GET", `${path}?${new URLSearchParams(query).toString()}`);
        expect([query, status]).toEqual([query, 200]);
      }
      const plans = await eventually("plan of every query", () => {
        const found = plansIn(log().slice(before)).filter((plan) => readsProtectedTable(plan, catalogues[service]!));
        return Promise.resolve(found.length >= queries.length ? found : undefined);
      });
      violations.push(
        ...plans.flatMap((plan) => scansWithoutOrganization(plan, catalogues[service]!).map((sentence) => `${id}: ${sentence}: ${plan.statement}`)),
      );
    }
    expect(violations).toEqual([]);
  });

  test("would fail on a scan without the organization and on a sequential scan", async () => {
    const before = log().length;
    await asSuperuser(system, "portfolio", async (client) => {
      await client.query("load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_format = json; set log_min_messages = log");
      await client.query("/* stray */ select monthly_rent_cents from unit");
      await client.query("set enable_seqscan = off");
      await client.query("/* stray */ select count(*) from lease where tenant_id = '00000000-0000-7000-8000-000000000000'");
    });
    const plans = await eventually("plan of both", () => {
      const found = plansIn(log().slice(before)).filter(({ statement }) => statement.startsWith("/* stray */"));
      return Promise.resolve(found.length === 2 ? found : undefined);
    });
    expect(plans.map((plan) => scansWithoutOrganization(plan, catalogues["portfolio"]!))).toEqual([
      ["unit is scanned sequentially"],
      [expect.stringMatching(/^lease is read/)],
    ]);
  });
});
