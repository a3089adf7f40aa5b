import type { DatabaseDefinition } from "@freehold/kit/db/database";
import { ImportBundle } from "./import-bundles/import-bundle.entity.ts";
import { importRunningConflict } from "./import-bundles/start-bundle.ts";
import { ImportFile } from "./import-files/import-file.entity.ts";
import { ImportMappingProfile } from "./import-mapping-profiles/import-mapping-profile.entity.ts";
import { profileNameConflict } from "./import-mapping-profiles/import-mapping-profiles.ts";

export const database: DatabaseDefinition = {
  service: "imports",
  entities: [ImportBundle, ImportFile, ImportMappingProfile],
  migrations: new URL("../migrations/", import.meta.url),
  constraints: { import_mapping_profile_name_once: profileNameConflict, import_bundle_alone_in_namespace: importRunningConflict },
};
