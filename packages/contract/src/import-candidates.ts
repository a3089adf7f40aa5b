/** What the rows of an import would become. */
import { z } from "zod";
import { FieldError } from "./errors.ts";
import { anyOf, Id, Instant, Search } from "./values.ts";

/** What a row can become, in the order in which it is written. */
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

export const Counts = z
  .strictObject({
    ...(Object.fromEntries(candidateStatuses.map((status) => [status, z.int().min(0)])) as Record<CandidateStatus, z.ZodInt>),
    byEntity: z
      .record(z.string(), z.record(z.string(), z.int().min(0)))
      .meta({ description: "The same, by entity type; statuses that no candidate has are left out." }),
  })
  .meta({ id: "ImportCounts", description: "How many candidates have each status." });
export type ImportCounts = z.output<typeof Counts>;

export const Candidate = z
  .strictObject({
    id: Id,
    bundleId: Id,
    fileId: Id,
    fileName: z.string(),
    rowNumber: z.int().min(1).meta({ description: "The row of the file, as a spreadsheet counts." }),
    entityType: EntityType,
    status: z.enum(candidateStatuses),
    sourceId: z.string().nullable().meta({ description: "Its id in the old system; made of its names, beginning with `~`, where the file has none." }),
    displayName: z.string(),
    data: z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])).meta({
      description:
        "The fields of the generic template, written as it writes them: `1095.00`, `2026-01-31`, `yes`. `extra` holds the columns that mean nothing here.",
    }),
    changes: z.array(z.strictObject({ field: z.string(), from: z.string().nullable(), to: z.string().nullable() })),
    matches: z.array(z.strictObject({ entityId: Id, displayName: z.string(), score: z.number().min(0).max(1), reasons: z.array(z.string()) })),
    decision: z.enum(["match", "create", "exclude"]).nullable().meta({ description: "What was chosen for it by hand." }),
    chosenEntityId: Id.nullable(),
    mergedIntoId: Id.nullable().meta({ description: "Of a duplicate: the candidate that stands for both." }),
    dependsOn: z.array(Id),
    blockedBy: z.array(Id),
    errors: z.array(FieldError),
    resultEntityId: Id.nullable(),
    updatedAt: Instant,
  })
  .meta({ id: "ImportCandidate", description: "What one row would become." });
export type Candidate = z.output<typeof Candidate>;

/** What a list of candidates can be narrowed to. */
export const candidateFilters = {
  status: anyOf(candidateStatuses).optional(),
  entityType: anyOf(importEntityTypes).optional(),
  fileId: Id.optional(),
  search: Search.optional().meta({ description: "Looks at names and source ids." }),
};
