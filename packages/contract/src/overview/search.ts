import { z } from "zod";
import { operationGroup } from "../operation.ts";
import { officeRoles } from "../roles.ts";
import { csvEnum, Id, Search, queryInteger } from "../values.ts";

export const searchTypes = ["property", "unit", "tenant", "lease", "owner", "vendor", "work_order", "document", "payment", "charge", "expense"] as const;
const SearchType = z.enum(searchTypes);

const SearchResult = z
  .strictObject({
    type: SearchType.describe("Type of the resource."),
    id: Id.describe("ID of the resource."),
    title: z.string().describe("Title of the resource, such as the name of a tenant."),
    subtitle: z.string().nullable().describe("Further details that distinguish the resource, such as its address, or null."),
    url: z.string().describe("Path of the operation that returns the resource."),
    highlights: z.array(z.string()).describe("Words of the title and subtitle that match the query."),
    score: z.number().min(0).max(1).describe("Relevance from 0 to 1; 1 when the title equals the query. Results are sorted by descending score."),
  })
  .meta({ id: "SearchMatch", description: "Resource found by a search." });
export type SearchResult = z.output<typeof SearchResult>;

export const search = operationGroup("Search", "portfolio", {
  search: {
    method: "GET",
    path: "/api/search",
    summary: "search",
    access: officeRoles,
    alsoReads: ["ledger"],
    description: [
      "Returns resources that contain every word of `q` in a name, address, e-mail address or title, ignoring case and accents. A word of three or more letters matches anywhere in a word, a shorter one only at its beginning. Phone numbers are found by their digits; rents, payments, charges and expenses by their amount (`1250.00` or `$1,250`). When nothing matches, similar words are searched for.",
      "Payments are also found by check number, manually created charges by name and memo, and both by the name of the payer: of the fifty newest payers with a matching name, at most 1,000 each. Expenses are found by name, description, invoice number and vendor. While the ledger is unavailable, a search that includes payments, charges or expenses returns 503; restrict `types` to other resources then.",
    ].join("\n\n"),
    query: z.strictObject({
      q: Search.describe("Words, phone number or amount to search for."),
      types: csvEnum(searchTypes).optional().describe("Types of resources to search, repeated or comma-separated. Default: all."),
      limit: queryInteger(1, 50).default(20).describe("Maximum number of results."),
    }),
    response: {
      results: z.array(SearchResult).describe("Results by descending score."),
      counts: z
        .partialRecord(SearchType, z.int().min(0))
        .describe("Number of matches for each type, including those beyond `limit`. Payments, charges and expenses are counted up to 1,000."),
    },
  },
});
