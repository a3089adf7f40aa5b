/** Lists as CSV: their columns, and long ones that change meanwhile. */
import { describe, expect, test } from "@jest/globals";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { csvListMember } from "@freehold/contract/operation";
import { openDatabase } from "@freehold/kit/db/database";
import { readOnSnapshot } from "@freehold/kit/db/exports/snapshot";
import { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { csvColumns } from "@freehold/kit/http/csv";
import pg from "pg";
import type { z } from "zod";
import { database as definition } from "../services/portfolio/src/database.ts";
import { anOffice, type Office } from "./support/office.ts";
import { running } from "./support/running.ts";
import { allOperations, idParams, isStream, sweep } from "./sweeps/sweeping.ts";

const listOperations = allOperations.filter((named) => !isStream(named) && csvListMember(named.operation));
const listOf = ({ operation }: (typeof listOperations)[number]) => operation.response[csvListMember(operation)!.key] as z.ZodType;
const BOM = "\uFEFF";

describe("a list as CSV", () => {
  sweep("has the members of its items as columns", listOperations, async (named) => {
    expect(csvColumns(listOf(named))).toEqual(expect.arrayContaining([expect.any(String)]));
  });

  test("begins with the columns also when it is empty", async () => {
    const office = await anOffice();
    const lists = listOperations.filter(
      ({ operation, ...named }) =>
        idParams({ operation, ...named }).length === 0 && operation.access.includes("admin") && (operation.query?.safeParse({}).success ?? true),
    );
    expect(lists.length).toBeGreaterThan(20);
    const readHeader = async ({ id }: (typeof lists)[number]) => {
      const { status, text } = await office.attempt(id as "listVendors", { headers: { Accept: "text/csv" } });
      return { id, status, header: text.replace(BOM, "").split("\r\n")[0] };
    };
    expect(await Promise.all(lists.map(readHeader))).toEqual(
      lists.map((named) => ({ id: named.id, status: 200, header: csvColumns(listOf(named)).join(",") })),
    );
  });

  test("contains the items of a list that has no pages", async () => {
    const office = await anOffice();
    const { categories } = await office.call("listCategories");
    const { text, headers } = await office.attempt("listCategories", { headers: { Accept: "text/csv" } });
    expect(headers.get("content-disposition")).toBe('attachment; filename="categories.csv"');
    expect(text.replace(BOM, "").trimEnd().split("\r\n").slice(1)).toEqual(
      categories.map((category) => expect.stringContaining(`${category.id},${category.code},`)),
    );
  });

  test("announces the end of a deprecated operation like its JSON response", async () => {
    const office = await anOffice();
    const query = { startDate: "2026-01-01", endDate: "2026-01-31" };
    const read = (headers: Record<string, string>) => office.attempt("listCategoryRollups", { query, headers });
    const [json, csv] = [await read({}), await read({ Accept: "text/csv" })];
    expect(csv.headers.get("content-type")).toContain("text/csv");
    const names = ["deprecation", "sunset", "link"];
    expect(names.map((name) => csv.headers.get(name))).toEqual(names.map((name) => json.headers.get(name)));
    expect(json.headers.get("sunset")).not.toBeNull();
  });

  test("shows a long list as it was when the export began", async () => {
    const office = await anOffice();
    const names = await insertVendors(office, 20_000);
    const response = await office.raw("GET", "/api/vendors?sortBy=name", undefined, { Accept: "text/csv", "Accept-Encoding": "identity" });
    const reader = response.body!.getReader();
    const chunks = [(await reader.read()).value!];
    const { vendors } = await office.call("listVendors", { query: { sortBy: "name", sortDirection: "desc", pageSize: 2 } });
    await office.call("deleteVendor", { params: { id: vendors[0]!.id } });
    await office.call("updateVendor", { params: { id: vendors[1]!.id }, body: { name: "A vendor renamed meanwhile" } });
    await office.call("createVendor", { body: { name: "Z, a vendor created meanwhile" } });
    for (let { value } = await reader.read(); value; { value } = await reader.read()) chunks.push(value);
    expect(
      [
        ...Buffer.concat(chunks)
          .toString()
          .matchAll(/,(Vendor \d+),/g),
      ].map(([, name]) => name),
    ).toEqual(names);
  });

  test("uses its connection no more after the caller has left", async () => {
    const database = await openDatabase(definition, running().databaseUrls.portfolio.service, 4);
    try {
      const db = new OrgDb(database, systemPrincipal((await anOffice()).organizationId));
      let handler: OrgDb | undefined;
      const leave = readOnSnapshot(db, { group: "group", member: "member" }, async (snapshot) => {
        handler = snapshot;
        expect(await snapshot.all(sql`select 1 as one`)).toEqual([{ one: 1 }]);
        throw new Error("The caller has left.");
      });
      await expect(leave).rejects.toThrow("The caller has left.");
      await expect(handler!.all(sql`select 1 as one`)).rejects.toMatchObject({ status: 503 });
      expect([database.pool.totalCount, database.pool.idleCount]).toEqual([1, 1]);
    } finally {
      await database.close();
    }
  });

  test("exports of one organization that are asked for together wait for each other", async () => {
    const office = await anOffice();
    await office.call("createVendor", { body: { name: "Pipes" } });
    const exportVendors = () => office.attempt("listVendors", { headers: { Accept: "text/csv" } });
    const responses = await Promise.all(Array.from({ length: 8 }, exportVendors));
    expect(responses.map(({ status, text }) => [status, text.split("\r\n").length])).toEqual(Array.from({ length: 8 }, () => [200, 3]));
  });
});

const PLANNED_VENDOR_COUNT = 500;

/** Inserts vendors with notes, so that an export is larger than the buffers on its way, and returns their names in order. */
async function insertVendors({ organizationId }: Office, count: number): Promise<string[]> {
  const client = new pg.Client({ connectionString: running().databaseUrls.portfolio.owner });
  await client.connect();
  try {
    await client.query("select set_config('app.organization_id', $1, false)", [organizationId]);
    const insert = async (from: number, to: number) =>
      client.query<{ name: string }>(
        `insert into vendor (organization_id, id, name, notes, is_active, include1099, is_email_self_reported, is_phone_self_reported, portal_status, version, created_at, updated_at)
        select $1, gen_random_uuid(), 'Vendor ' || lpad(n::text, 5, '0'), (select string_agg(md5(n || ':' || part), '') from generate_series(1, 62) part),
          true, false, false, false, 'none', 1, now(), now() from generate_series($2::int, $3::int) n returning name`,
        [organizationId, from, to],
      );
    // The search trigger's plan, made with its first row, reads all vendors for each row unless the planner knows that there are many.
    const { rows: first } = await insert(1, PLANNED_VENDOR_COUNT);
    await client.query("analyze vendor");
    const { rows } = await insert(PLANNED_VENDOR_COUNT + 1, count);
    return [...first, ...rows].map(({ name }) => name).toSorted();
  } finally {
    await client.end();
  }
}
