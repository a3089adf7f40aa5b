/** Lists as CSV: their columns. */
import { describe, expect, test } from "@jest/globals";
import { csvColumns } from "@freehold/kit/http/csv";
import type { z } from "zod";
import { anOffice } from "./support/office.ts";
import { allOperations, idParams, isStream, sweep } from "./sweeps/sweeping.ts";

const listOperations = allOperations.filter((named) => !isStream(named) && named.operation.query && "total" in named.operation.response);
const listOf = ({ operation }: (typeof listOperations)[number]) => Object.values(operation.response)[0] as z.ZodType;
const BOM = "\uFEFF";

describe("a list as CSV", () => {
  sweep("has the members of its items as columns", listOperations, async (named) => {
    expect(csvColumns(listOf(named))).toEqual(expect.arrayContaining([expect.any(String)]));
  });

  test("begins with the columns also when it is empty", async () => {
    const office = await anOffice();
    const lists = listOperations.filter(
      ({ operation, ...named }) =>
        idParams({ operation, ...named }).length === 0 && operation.access.includes("admin") && operation.query!.safeParse({}).success,
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
});
