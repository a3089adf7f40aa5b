import type { DatabaseDefinition } from "@freehold/kit/db/database";
import { BulkImports } from "../migrations/202611220100-bulk-imports.ts";
import { AnalyzeCandidates } from "../migrations/202611220430-analyze-candidates.ts";
import { ImportDecisions } from "../migrations/202611220200-import-decisions.ts";
import { ImportWriting } from "../migrations/202611212230-import-writing.ts";
import { ImportBundles } from "../migrations/202611212150-import-bundles.ts";
import { SearchPathsOfFunctions } from "../migrations/202611230660-search-paths-of-functions.ts";
import { IdentitiesOfTenancies } from "../migrations/202611230680-identities-of-tenancies.ts";
import { ImportBundle } from "./import-bundles/import-bundle.entity.ts";
import { importRunningConflict } from "./import-bundles/start-bundle.ts";
import { ImportFile } from "./import-files/import-file.entity.ts";
import { ImportMappingProfile } from "./import-mapping-profiles/import-mapping-profile.entity.ts";
import { profileNameConflict } from "./import-mapping-profiles/import-mapping-profiles.ts";

export const database: DatabaseDefinition = {
  service: "imports",
  entities: [ImportBundle, ImportFile, ImportMappingProfile],
  migrations: {
    "202611212150-import-bundles": ImportBundles,
    "202611212230-import-writing": ImportWriting,
    "202611220100-bulk-imports": BulkImports,
    "202611220200-import-decisions": ImportDecisions,
    "202611220430-analyze-candidates": AnalyzeCandidates,
    "202611230660-search-paths-of-functions": SearchPathsOfFunctions,
    "202611230680-identities-of-tenancies": IdentitiesOfTenancies,
  },
  constraints: { import_mapping_profile_name_once: profileNameConflict, import_bundle_alone_in_namespace: importRunningConflict },
};
