import { z } from "zod";
import { area } from "./operation.ts";
import { office } from "./roles.ts";
import { anyOf, Id, Search, whole } from "./values.ts";

export const searchTypes = ["property", "unit", "tenant", "lease", "owner", "vendor", "work_order", "document", "payment", "charge"] as const;
const SearchType = z.enum(searchTypes);

const SearchResult = z
  .strictObject({
    type: SearchType,
    id: Id,
    title: z.string(),
    subtitle: z.string().nullable(),
    url: z.string().meta({ description: "The path of the operation that reads it." }),
    highlights: z.array(z.string()).meta({ description: "The words of title and subtitle that were found." }),
    score: z.number().min(0).max(1).meta({ description: "1 for a title that is what was asked for; results come with the highest first." }),
  })
  .meta({ id: "SearchResult" });
export type SearchResult = z.output<typeof SearchResult>;

export const search = area("Search", "portfolio", {
  search: {
    method: "GET",
    path: "/api/search",
    summary: "search",
    access: office,
    description:
      "Every word of `q` must be found: in a name, an address, an e-mail address, a title; whatever its case and accents, anywhere in a word from three letters on, at its beginning below. Phones are found by their digits, rents, payments and charges by their amount (`1250.00` or `$1,250`). Payments are also found by check number, charges by name and memo where they were not posted by a rule, and both by who pays: of the fifty payers whose name fits, the newest first, a thousand at most. What is misspelled is looked for by likeness when nothing matches. While the ledger does not answer, a search that includes payments or charges is a 503; name other `types` then.",
    query: z.strictObject({ q: Search, types: anyOf(searchTypes).optional(), limit: whole(1, 50).default(20) }),
    returns: {
      results: z.array(SearchResult),
      counts: z
        .partialRecord(SearchType, z.int().min(0))
        .meta({ description: "How many of each type were found in all; of payments and charges nobody counts beyond a thousand." }),
    },
  },
});
