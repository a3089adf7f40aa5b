/** How work on a bundle knows that it is a bulk import. */
import { sql } from "@freehold/kit/db/statement";
import { BULK_NAMESPACE } from "./bulk-import.rules.ts";

/** The `Bulk` of a bundle, or null; and the namespace that the ids of its rows are remembered under. */
export const asBulk = sql`case when mode is not null
    then json_build_object('entityType', entity_type, 'mode', mode, 'dryRun', dry_run, 'by', started_by) end as bulk,
  case when mode is null then source_namespace else ${BULK_NAMESPACE} end as namespace`;
