/** The values that every area speaks in, each defined once. */
import { z } from "zod";

/** A UUID in any version: an id that nobody ever issued is a 404, not a 400. */
export const Id = z.guid().toLowerCase().meta({ description: "UUID" });
export type Id = string;

/** An integer number of cents; never a fraction, never beyond 2^53 - 1. */
export const Cents = z.int().brand<"Cents">();
export type Cents = z.output<typeof Cents>;

/** Money that must be there: at least one cent. */
export const PositiveCents = z.int().min(1).brand<"Cents">();

/** Money that cannot be negative. */
export const NonNegativeCents = z.int().min(0).brand<"Cents">();

/** Years that a calendar of leases and books can mean; beyond them lie only typing errors. */
const withinReason = [
  (date: string) => date >= "1900" && date < "2200",
  { params: { code: "format" }, message: "The year must lie between 1900 and 2199." },
] as const;

/** A calendar day, `YYYY-MM-DD`, leap days checked. */
export const PlainDate = z.iso.date().refine(...withinReason);

/** A moment in UTC: ISO 8601 with a trailing `Z`, answered with milliseconds. */
export const Instant = z.iso.datetime().refine(...withinReason);

/** Text of a bounded length; surrounding blanks do not count. */
export const text = (min: number, max: number) => z.string().trim().min(min).max(max);

export const Email = z.email().max(254);
export const Phone = text(7, 32);
export const CountryState = z
  .string()
  .regex(/^[A-Za-z]{2}$/)
  .transform((code) => code.toUpperCase())
  .meta({ description: "Two-letter state code; answered in upper case." });
export const PostalCode = z.string().regex(/^\d{5}(-\d{4})?$/);
export const DayOfMonth = z.int().min(1).max(31);

/** What an organization's record of a person looks like when all that matters is who it was. */
export const Person = z.strictObject({ id: Id, fullName: z.string() }).meta({ id: "Person" });

/** A flag in a query string. */
export const Flag = z
  .enum(["true", "false"])
  .transform((value) => value === "true")
  .meta({
    override: ({ jsonSchema }) => {
      jsonSchema.type = "boolean";
      delete jsonSchema.enum;
    },
  });

/** One value or several, comma-separated: `status=pending,paid`. */
export const anyOf = <const V extends readonly [string, ...string[]]>(values: V) =>
  z
    .string()
    .transform((list) => list.split(","))
    .pipe(z.array(z.enum(values)).min(1))
    .meta({ override: { type: "array", items: { type: "string", enum: [...values] } }, description: "Comma-separated." });

/** A whole number in a query string: digits, and nothing else that a program could take for a number. */
export const whole = (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  z.preprocess((text) => (typeof text === "string" && /^-?\d+$/.test(text) ? Number(text) : text), z.int().min(min).max(max));

export const Page = whole(1, 1_000_000);
export const PageSize = whole(1, 100);

/** What every list understands, besides its own filters and its closed set of sort columns (the first is the default). */
export const listQuery = <F extends z.ZodRawShape, const S extends readonly [string, ...string[]]>(
  sorts: S,
  filters: F,
  defaultDirection: "asc" | "desc" = "asc",
) =>
  z.strictObject({
    ...filters,
    updatedAfter: Instant.optional().meta({ description: "Only rows changed after this moment: for incremental sync." }),
    includeDeleted: Flag.optional().meta({ description: "Also soft-deleted rows. Admins and managers only." }),
    sortBy: z.enum(sorts).default(sorts[0] as never),
    sortDirection: z.enum(["asc", "desc"]).default(defaultDirection),
    page: Page.default(1),
    pageSize: PageSize.default(20),
  });

/** The answer of a paged list: the rows under their key, and where in the whole they stand. */
export const page = <K extends string, R extends z.ZodType>(key: K, row: R) =>
  ({
    [key]: z.array(row),
    ...paging,
  }) as { [P in K]: z.ZodArray<R> } & typeof paging;

export const paging = {
  page: z.int().min(1),
  pageSize: z.int().min(1).max(100),
  total: z.int().min(0),
  totalPages: z.int().min(1),
};

/** The longest search text a list takes. */
export const Search = text(1, 100);
