/** Lists as CSV: their columns. */
import { describe, expect, test } from "@jest/globals";
import { csvColumns } from "@freehold/kit/http/csv";
import type { z } from "zod";
import { anOffice } from "./support/office.ts";
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
});
