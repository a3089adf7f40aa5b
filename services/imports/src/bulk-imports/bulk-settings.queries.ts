import { sql } from "@freehold/kit/db/statement";
import { BULK_NAMESPACE } from "./bulk-import.rules.ts";

/** Namespace of the identities of a bundle. */
export const identityNamespace = sql`case when mode is null then source_namespace else ${BULK_NAMESPACE} end`;

/** Columns of a bundle: its `BulkSettings` as `bulk`, null unless it is a bulk import, and the `namespace` of its identities. */
export const bulkSettingsColumns = sql`case when mode is not null
    then json_build_object('entityType', entity_type, 'mode', mode, 'dryRun', dry_run, 'startedBy', started_by) end as bulk,
  ${identityNamespace} as namespace`;
