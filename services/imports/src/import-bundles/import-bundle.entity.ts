import { bulkEntityTypes, bulkImportModes } from "@freehold/contract/bulk-imports";
import { importBundleStatuses, importProviders, type ImportCounts } from "@freehold/contract/import-bundles";
import type { Role } from "@freehold/contract/roles";
import { defineEntity, inOrganization, enumText, orgColumns, p } from "@freehold/kit/db/entity";
import type { Cursor, WritingCursor } from "../validation/cursor.ts";

/** In whose name a bundle is written. */
export interface StartedBy {
  userId: string;
  role: Role;
  timezone: string;
}

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
    /** Of a bulk import: what its rows are, what becomes of those that are there already, and whether it waits for its start. */
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
    run: p.integer(),
    cursor: p.json().$type<Cursor | WritingCursor | null>().nullable(),
    announcedAt: p.datetime(3).nullable(),
    createdByUserId: p.uuid().nullable(),
    validatedAt: p.datetime(3).nullable(),
    startedAt: p.datetime(3).nullable(),
    startedBy: p.json().$type<StartedBy>().nullable(),
    completedAt: p.datetime(3).nullable(),
    error: p.text().nullable(),
  },
});
/** Files of another system on their way in, or the one file of a bulk import. `run` counts the validations: work that began under another one is over. */
export class ImportBundle extends ImportBundleSchema.class {}
ImportBundleSchema.setClass(ImportBundle);
