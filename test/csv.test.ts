/** Lists as CSV: their columns, and the moment that they show. */
import { describe, expect, test } from "@jest/globals";
import { csvColumns } from "@freehold/kit/http/csv";
import { newId } from "@freehold/kit/db/entity";
import pg from "pg";
import type { z } from "zod";
import { anOffice } from "./support/office.ts";
import { running } from "./support/running.ts";
import { allOperations, idParams, isStream, sweep } from "./support/sweeping.ts";

const listOperations = allOperations.filter((named) => !isStream(named) && named.operation.query && "total" in named.operation.response);
const listOf = ({ operation }: (typeof listOperations)[number]) => Object.values(operation.response)[0] as z.ZodType;
const BOM = "\uFEFF";

describe("a list as CSV", () => {
  sweep("has the members of its items as columns", listOperations, async (named) => {
    expect(csvColumns(listOf(named))).toEqual(expect.arrayContaining([expect.any(String)]));
  });

  test("begins with the columns also when it is empty", async () => {
    const office = await anOffice();
    const answers = await Promise.all(
      listOperations
        .filter((named) => idParams(named).length === 0 && Array.isArray(named.operation.access) && named.operation.access.includes("admin"))
        .map(async (named) => {
          const { status, text } = await office.attempt(named.id as "listVendors", { headers: { Accept: "text/csv" } });
          const [header] = text.replace(BOM, "").split("\r\n");
          return { id: named.id, status, header };
        }),
    );
    expect(answers.length).toBeGreaterThan(20);
    expect(answers.filter(({ status }) => status !== 400)).toEqual(
      answers
        .filter(({ status }) => status !== 400)
        .map(({ id }) => ({ id, status: 200, header: csvColumns(listOf(listOperations.find((named) => named.id === id)!)).join(",") })),
    );
  });

  // 450 vendors are five pages. While they are sent, vendors are added in front of them, which moves the rest to later pages.
  test("shows each row once as of one moment, also when rows are added in front of it meanwhile", async () => {
    const office = await anOffice();
    const client = new pg.Client({ connectionString: running().databaseUrls.portfolio.owner });
    await client.connect();
    const addVendors = (count: number, prefix: string) =>
      client.query(
        `insert into vendor (organization_id, id, name, is_active, include1099, portal_status, created_at, updated_at)
          select $1, id, $3 || number, true, false, 'none', now(), now() from unnest($2::uuid[]) with ordinality as input (id, number)`,
        [office.organizationId, Array.from({ length: count }, () => newId()), prefix],
      );
    try {
      await client.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
      await addVendors(450, "m");
      for (let round = 0; round < 3; round++) {
        let isDone = false;
        const csv = office.attempt("listVendors", { query: { sortBy: "name" }, headers: { Accept: "text/csv" } }).finally(() => {
          isDone = true;
        });
        for (let batch = 0; !isDone; batch++) await addVendors(20, `a${round}-${batch}-`);
        const names = (await csv).text.split("\r\n").flatMap((line) => /,(m\d+),/.exec(line)?.[1] ?? []);
        expect([names.length, new Set(names).size]).toEqual([450, 450]);
      }
    } finally {
      await client.end();
    }
  });
});
