import { afterAll, beforeAll, expect, test } from "@jest/globals";
import pg from "pg";
import { running } from "../../../../../test/support/running.ts";
import { binaryArray, binaryColumns, type ArrayType } from "./binary-array.ts";

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client({ connectionString: running().databaseUrls.ledger.owner });
  await client.connect();
});
afterAll(() => client.end());

const cases: Record<ArrayType, readonly (readonly [value: string | number | Date | null, text: string | null])[]> = {
  uuid: [
    ["01a2074c-d54f-7285-a9a8-a40d4f647e95", "01a2074c-d54f-7285-a9a8-a40d4f647e95"],
    [null, null],
    ["FFFFFFFF-ffff-4FFF-bfff-ffffffffffff", "ffffffff-ffff-4fff-bfff-ffffffffffff"],
  ],
  int: [
    [0, "0"],
    [-2_147_483_648, "-2147483648"],
    [2_147_483_647, "2147483647"],
  ],
  bigint: [
    [Number.MAX_SAFE_INTEGER, "9007199254740991"],
    [-1, "-1"],
    [null, null],
  ],
  date: [
    ["2000-01-01", "2000-01-01"],
    ["1999-12-31", "1999-12-31"],
    ["2028-02-29", "2028-02-29"],
    ["9999-12-31", "9999-12-31"],
    ["0001-01-01", "0001-01-01"],
  ],
  timestamptz: [
    ["2026-01-05T15:00:00.123Z", "2026-01-05 15:00:00.123+00"],
    [new Date("1999-12-31T23:59:59.999Z"), "1999-12-31 23:59:59.999+00"],
  ],
  text: [
    ["", ""],
    [`"a", {b} \\ 'c' null`, `"a", {b} \\ 'c' null`],
    ["ñ 漢字 🏠", "ñ 漢字 🏠"],
    [null, null],
  ],
  json: [['{"a": [1, "é"]}', '{"a": [1, "é"]}']],
};

test.each(Object.keys(cases) as ArrayType[])("PostgreSQL reads an array of %s as it was written", async (type) => {
  await client.query("set timezone = 'UTC'");
  const { rows } = await client.query<{ text: string | null }>(
    `select element::text as text from unnest($1::${type}[]) with ordinality as input (element, place) order by place`,
    [
      binaryArray(
        type,
        cases[type].map(([value]) => value),
      ),
    ],
  );
  expect(rows.map(({ text }) => text)).toEqual(cases[type].map(([, text]) => text));
});

test("an empty array has no elements", async () => {
  const { rows } = await client.query("select $1::uuid[] = '{}' and cardinality($1::uuid[]) = 0 as is_empty", [binaryArray("uuid", [])]);
  expect(rows).toEqual([{ is_empty: true }]);
});

test.each(["", "01a2074c", "01a2074c-d54f-7285-a9a8-a40d4f647e9x"])("%p is refused as a UUID", (value) => {
  expect(() => binaryArray("uuid", [value])).toThrow(TypeError);
});

test("columns follow the order in which they are declared, with null for a member that a row lacks", async () => {
  const columns = binaryColumns({ name: "text", count: "int" }, [{ count: 2, name: "b" }, { name: "a" }]);
  const { rows } = await client.query("select * from unnest($1::text[], $2::int[]) as input (name, count)", columns);
  expect(rows).toEqual([
    { name: "b", count: 2 },
    { name: "a", count: null },
  ]);
});
