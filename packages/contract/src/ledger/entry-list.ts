import { z } from "zod";
import { Instant, Page, PageSize, QueryBoolean } from "../values.ts";

/** Query members of a list of posted entries with a running balance: incremental synchronization, sorting, by date first, and paging. */
export const entryListQuery = <const S extends readonly ["date", ...string[]]>(sorts: S, rows: "entries" | "transactions") => ({
  updatedAfter: Instant.optional().describe(
    `Return only ${rows} posted or reversed after this time, for incremental synchronization. Balances count all ${rows}.`,
  ),
  includeDeleted: QueryBoolean.optional().describe(
    `Changes nothing, since ${rows} are reversed and never deleted. Admins and managers only; other roles receive 403 \`scope_forbidden\`. Default: \`false\`.`,
  ),
  sortBy: z
    .enum(sorts)
    .default("date" as never)
    .describe(`Field to sort by. The ${rows} of one day are in the order of posting.`),
  sortDirection: z.enum(["asc", "desc"]).default("asc").describe("Sort direction: `asc` is ascending, `desc` is descending."),
  page: Page.default(1).describe("Number of the page to return, starting at 1."),
  pageSize: PageSize.default(20).describe(`Maximum number of ${rows} on a page.`),
});
