/** Value types shared by all areas of the contract. */
import { z } from "zod";

/** UUID of any version. A well-formed but unknown id results in 404, not 400. */
export const Id = z.guid().toLowerCase();
export type Id = string;

/** Integer number of cents between -(2^53 - 1) and 2^53 - 1. */
export const Cents = z.int().brand<"Cents">();
export type Cents = z.output<typeof Cents>;

/** Amount of at least one cent. */
export const PositiveCents = z.int().min(1).brand<"Cents">();

/** Amount of zero or more cents. */
export const NonNegativeCents = z.int().min(0).brand<"Cents">();

/** Last accepted day. */
export const LAST_DATE = "2199-12-31";

/** Calendar day as `YYYY-MM-DD`; leap days are validated. Years outside the accepted range are taken for typing errors. */
export const PlainDate = z.iso.date().refine((date) => date >= "1900" && date <= LAST_DATE, {
  params: { code: "format" },
  message: "The year must lie between 1900 and 2199.",
});

/**
 * Time in UTC: ISO 8601 with a trailing `Z`, returned with milliseconds. Without bounds, for responses in which the time is derived
 * from the first or last accepted day.
 */
export const UnboundedInstant = z.iso.datetime();

/** Time in UTC whose day is in the accepted years in every time zone. */
export const Instant = UnboundedInstant.refine((time) => time >= "1900-01-02" && time < LAST_DATE, {
  params: { code: "format" },
  message: "The time must lie between 1900-01-02 and 2199-12-30.",
});

/** Text of bounded length, trimmed before its length is checked. */
export const text = (min: number, max: number) => z.string().trim().min(min).max(max);

export const Email = z.email().max(254);
export const Phone = text(7, 32);
export const StateCode = z
  .string()
  .regex(/^[A-Za-z]{2}$/)
  .transform((code) => code.toUpperCase());
export const PostalCode = z.string().regex(/^\d{5}(-\d{4})?$/);
export const DayOfMonth = z.int().min(1).max(31);

/** Reference to a person by id and name. */
export const Person = z
  .strictObject({
    id: Id.describe("ID of the person's record: a user, or an owner where owners are listed."),
    fullName: z.string().describe("Full name of the person."),
  })
  .meta({ id: "Person", description: "Reference to a person by ID and name." });

/** Boolean in a query string. */
export const QueryBoolean = z
  .enum(["true", "false"])
  .transform((value) => value === "true")
  .meta({
    override: ({ jsonSchema }) => {
      jsonSchema.type = "boolean";
      delete jsonSchema.enum;
    },
  });

const MAX_LIST_ITEMS = 200;

/** Splits lists, and leaves out what is far beyond the limit, since each item that is refused has an error of its own. */
const splitLists = (lists: unknown) =>
  lists === undefined
    ? lists
    : [lists as string | string[]]
        .flat()
        .flatMap((list) => list.split(","))
        .slice(0, MAX_LIST_ITEMS + 1);

/** One or more texts in a query string: repeated as `status=pending&status=paid`, or separated by commas as `status=pending,paid`. */
export const textList = <const S extends z.ZodType>(item: S) => z.preprocess(splitLists, z.array(item).min(1).max(MAX_LIST_ITEMS));

/** One or more values of an enum in a query string, in the form of `textList`. */
export const csvEnum = <const V extends readonly [string, ...string[]]>(values: V) => textList(z.enum(values));

/** Integer in a query string. Only decimal digits are accepted; forms such as `1e3` or `0x10` are refused. */
export const queryInteger = (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  z.preprocess((text) => (typeof text === "string" && /^-?\d+$/.test(text) ? Number(text) : text), z.int().min(min).max(max));

export const Page = queryInteger(1, 1_000_000);
export const PageSize = queryInteger(1, 100);

/** Times, dates, numbers that are given in order of time, and priorities. */
const descendingFields = /(?:At|On|Date|Start|End|From)$|^(?:date|month|fiscalYear|number|priority)$/;

/** Returns the direction in which a list is sorted by a field unless its query names one: the newest and the most urgent first, and all else ascending. */
export const defaultDirection = (sortBy: string): "asc" | "desc" => (descendingFields.test(sortBy) ? "desc" : "asc");

/** Query of a list: its own filters, the filters of every list, sorting by a closed set of fields (the first is the default), and paging. */
export const listQuery = <F extends z.ZodRawShape, const S extends readonly [string, ...string[]]>(sorts: S, filters: F) =>
  z.strictObject({
    ...filters,
    updatedAfter: Instant.optional().describe("Return only resources changed after this time, for incremental synchronization."),
    includeDeleted: QueryBoolean.optional().describe(
      "Also return soft-deleted resources. Admins and managers only; other roles receive 403 `scope_forbidden`. Default: `false`.",
    ),
    sortBy: z
      .enum(sorts)
      .default(sorts[0] as never)
      .describe("Field to sort by. Resources with equal values are sorted by ID."),
    sortDirection: z
      .enum(["asc", "desc"])
      .optional()
      .describe(
        "Sort direction: `asc` is ascending, `desc` is descending. Default: `desc` for times, dates, numbers of records and priorities, `asc` for all else.",
      ),
    page: Page.default(1).describe("Number of the page to return, starting at 1."),
    pageSize: PageSize.default(20).describe("Maximum number of resources on a page."),
  });

/** Storage used by the files of an organization. */
export const StorageUsage = z
  .strictObject({
    usedBytes: z.int().min(0).describe("Bytes of the stored files."),
    quotaBytes: z.int().min(1).nullable().describe("Bytes that the organization may store; null for no limit."),
  })
  .meta({ id: "StorageUsage", description: "Storage that the files of the organization use, and its quota." });
export type StorageUsage = z.output<typeof StorageUsage>;

/** Response of a paged list: the rows under their key, and the paging members. */
export const page = <K extends string, R extends z.ZodType>(key: K, row: R) =>
  ({
    [key]: z.array(row).describe("Resources on this page, in the requested order."),
    ...paging,
  }) as { [P in K]: z.ZodArray<R> } & typeof paging;

export const paging = {
  page: z.int().min(1).describe("Number of this page, starting at 1."),
  pageSize: z.int().min(1).max(100).describe("Maximum number of resources on a page."),
  total: z.int().min(0).describe("Number of resources on all pages together."),
  totalPages: z.int().min(1).describe("Number of pages; 1 when there are no resources."),
};

/** Search text of a list. */
export const Search = text(1, 100);
