import { bulkEntityTypes, bulkImportModes } from "@freehold/contract/imports/bulk-imports";
import { importBundleStatuses, importProviders, type ImportCounts } from "@freehold/contract/imports/import-bundles";
import { defineEntity, inOrganization, enumText, orgColumns, p } from "@freehold/kit/db/entity";
import type { ValidationCursor, WritingCursor } from "../validation/cursor.ts";
import type { StartedBy } from "./started-by.ts";

const ImportBundleSchema = defineEntity({
  name: "ImportBundle",
  tableName: "import_bundle",
  ...inOrganization,
  indexes: [
    { name: "import_bundle_by_creation", properties: ["organizationId", "createdAt"] },
    { name: "import_bundle_by_change", properties: ["organizationId", "updatedAt"] },
    { name: "import_bundle_by_status", properties: ["organizationId", "status"] },
    {
      name: "import_bundle_alone_in_namespace",
      expression: `create unique index import_bundle_alone_in_namespace on import_bundle (organization_id, source_namespace) where status in ('queued', 'processing')`,
    },
  ],
  properties: {
    ...orgColumns,
    /** Type of the rows of a bulk import; null for any other bundle, as are `mode` and `dryRun`. */
    entityType: enumText(bulkEntityTypes).nullable(),
    mode: enumText(bulkImportModes).nullable(),
    dryRun: p.boolean().nullable(),
    name: p.text(),
    provider: enumText(importProviders),
    sourceNamespace: p.text(),
    sourceAccountLabel: p.text(),
    status: enumText(importBundleStatuses),
    phase: p.text().nullable(),
    processed: p.integer(),
    total: p.integer(),
    counts: p.json().$type<ImportCounts>(),
    /** Number of the current validation or writing run; work of an earlier run is discarded. */
    run: p.integer(),
    cursor: p.json().$type<ValidationCursor | WritingCursor | null>().nullable(),
    /** Time of the last progress event, which is published at most once a second. */
    announcedAt: p.datetime(3).nullable(),
    /** Speed of the job in steps per second, with the time and the number of steps at its last measurement. */
    rate: p.double().$type<number>().nullable(),
    ratedAt: p.datetime(3).nullable(),
    ratedSteps: p.integer().nullable(),
    /** Time until which the job skips the bundle after a failure. */
    retryAt: p.datetime(3).nullable(),
    /** Number of unexpected failures at the current cursor. */
    failures: p.integer().default(0),
    createdByUserId: p.uuid().nullable(),
    validatedAt: p.datetime(3).nullable(),
    startedAt: p.datetime(3).nullable(),
    startedBy: p.json().$type<StartedBy>().nullable(),
    completedAt: p.datetime(3).nullable(),
    error: p.text().nullable(),
  },
});
/** Files of another system that are imported together, or the single file of a bulk import. */
export class ImportBundle extends ImportBundleSchema.class {}
ImportBundleSchema.setClass(ImportBundle);
