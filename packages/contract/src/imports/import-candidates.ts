/** Import candidates: the resources that rows of imported files would become. */
import { z } from "zod";
import { FieldError } from "../errors.ts";
import { csvEnum, Id, Instant, Search } from "../values.ts";

/** Types of resources a row can become, in the order in which they are written. */
export const importEntityTypes = [
  "owner",
  "vendor",
  "property",
  "ownership",
  "unit",
  "tenant",
  "lease",
  "occupant",
  "recurring_charge",
  "deposit",
  "opening_balance",
  "charge",
  "payment",
  "expense",
  "work_order",
] as const;
export type ImportEntityType = (typeof importEntityTypes)[number];
export const EntityType = z.enum(importEntityTypes);

export const candidateStatuses = [
  "ready_create",
  "ready_update",
  "unchanged",
  "duplicate_merged",
  "ambiguous",
  "missing_source_data",
  "invalid",
  "blocked",
  "excluded",
] as const;
export type CandidateStatus = (typeof candidateStatuses)[number];

const count = (which: string) => z.int().min(0).describe(`Number of candidates ${which}.`);
const statusCounts: Record<CandidateStatus, z.ZodInt> = {
  ready_create: count("that will become a new record"),
  ready_update: count("that will change an existing record"),
  unchanged: count("that equal an existing record"),
  duplicate_merged: count("that were merged into another candidate for the same record"),
  ambiguous: count("that match several records, or one uncertainly"),
  missing_source_data: count("that lack a required field"),
  invalid: count("with an invalid value"),
  blocked: count("that depend on a candidate that cannot be imported"),
  excluded: count("that were excluded manually"),
};

export const Counts = z
  .strictObject({
    ...statusCounts,
    byEntity: z
      .record(z.string(), z.record(z.string(), z.int().min(0)))
      .describe("Number of candidates by entity type and status. Statuses without candidates are omitted."),
  })
  .meta({ id: "ImportCounts", description: "Number of candidates of a bundle by status." });
export type ImportCounts = z.output<typeof Counts>;

export const Candidate = z
  .strictObject({
    id: Id.describe("ID of the candidate."),
    bundleId: Id.describe("ID of the import bundle."),
    fileId: Id.describe("ID of the file the row comes from."),
    fileName: z.string().describe("Name of the file the row comes from; empty when the file was removed."),
    rowNumber: z.int().min(1).describe("Row number in the file, counted from 1 as in a spreadsheet."),
    entityType: EntityType.describe("Type of record the candidate would become."),
    status: z
      .enum(candidateStatuses)
      .describe(
        "Status of the candidate. `ready_create` and `ready_update` are written when the bundle starts; `unchanged` equals the existing record, or is an opening balance of zero, which posts nothing; `duplicate_merged` was merged into another candidate; `ambiguous` matches several records, or one uncertainly, or may be any of several people of the bundle with the same name and unit; `missing_source_data` lacks a required field; `invalid` has an invalid value; `blocked` depends on a candidate that cannot be imported; `excluded` was excluded manually.",
      ),
    sourceId: z
      .string()
      .nullable()
      .describe(
        "ID of the record in the source system. Derived from identifying fields, and starting with `~`, when the file has none. Null when neither exists.",
      ),
    displayName: z.string().describe("Name of the candidate for display."),
    data: z
      .record(z.string(), z.union([z.string(), z.record(z.string(), z.string())]))
      .describe(
        "Fields of the generic template, normalized to its formats: `1095.00`, `2026-01-31`, `yes`. `extra` contains the columns that are not mapped to a field.",
      ),
    changes: z
      .array(
        z.strictObject({
          field: z.string().describe("Field of the generic template."),
          from: z
            .string()
            .nullable()
            .describe("Value of the existing record, as of the last import of the row if there was one. Null when it has none, or when it is not known."),
          to: z.string().nullable().describe("Value of the candidate, or null when it has none."),
        }),
      )
      .describe(
        "Fields in which the candidate differs from the existing record. Only these are written to it; the parts of an address, a name, an insurance policy or a late fee are written together.",
      ),
    matches: z
      .array(
        z.strictObject({
          entityId: Id.describe("ID of the existing record."),
          displayName: z.string().describe("Name of the existing record for display."),
          score: z.number().min(0).max(1).describe("Confidence of the match from 0 to 1. A unique match of at least 0.8 is chosen automatically."),
          reasons: z.array(z.string()).describe("Fields in which candidate and record agree, such as `email` or `name`."),
        }),
      )
      .describe("Existing records that the candidate may be."),
    decision: z.enum(["match", "create", "exclude"]).nullable().describe("Resolution that was chosen manually. Null when there is none."),
    chosenEntityId: Id.nullable().describe("ID of the existing record that the candidate updates. Null for a new record, and while none is determined."),
    mergedIntoId: Id.nullable().describe("ID of the candidate that a duplicate was merged into. Null for other candidates."),
    dependsOn: z.array(Id).describe("IDs of the candidates that must be imported before this candidate, such as the unit of a lease."),
    blockedBy: z.array(Id).describe("IDs of the candidates in `dependsOn` that cannot be imported. Empty unless the status is `blocked`."),
    errors: z.array(FieldError).describe("Errors of the row by field of the generic template."),
    resultEntityId: Id.nullable().describe(
      "ID of the record that was created or updated. Null until the candidate is written. An `invalid` candidate has one when its record was created, but a later step was refused; `errors` says what is left to do.",
    ),
    updatedAt: Instant.describe("Time at which the candidate was last changed."),
  })
  .meta({ id: "ImportCandidate", description: "Record that a row of an imported file would become." });
export type Candidate = z.output<typeof Candidate>;

/** Filters of a list of candidates. */
export const candidateFilters = {
  status: csvEnum(candidateStatuses).optional().describe("Return only candidates with these statuses, repeated or comma-separated."),
  entityType: csvEnum(importEntityTypes).optional().describe("Return only candidates of these entity types, repeated or comma-separated."),
  fileId: Id.optional().describe("Return only candidates from this file."),
  search: Search.optional().describe("Return only candidates whose name or source ID contains this text, ignoring case."),
};
