import { configuredStore } from "@freehold/kit/files/configured-store";
import { uploadDirIn } from "@freehold/kit/files/file-store";
import { scheduleGlobalJob } from "@freehold/kit/jobs/scheduler";
import { sweepFiles } from "@freehold/kit/files/file-sweep";
import { startService } from "@freehold/kit/runtime/service";
import { bulkImportsDoor } from "./bulk-imports/bulk-imports.routes.ts";
import { clients } from "./clients.ts";
import { config } from "./config.ts";
import { database } from "./database.ts";
import { importBundlesDoor } from "./import-bundles/import-bundles.routes.ts";
import { hasFiles, liveFiles } from "./import-files/import-files.queries.ts";
import { importMappingProfilesHttp } from "./import-mapping-profiles/import-mapping-profiles.routes.ts";
import { subscriptions } from "./subscriptions.ts";
import { writeBundles } from "./writing/write-bundles.ts";
import { validateBundles } from "./validation/validate-bundles.ts";

/** Files of other systems, and what becomes of their rows. */
export function start() {
  const settings = config();
  const { IMPORTS_DIR: dir } = settings;
  const store = configuredStore(settings, { description: "Import files", setting: "IMPORTS_DIR", dir, keyPrefix: "imports" });
  return startService({
    name: "imports",
    database,
    databaseUrl: settings.IMPORTS_DATABASE_URL,
    settings,
    assemble: async ({ assertions, database }) => {
      if (dir !== undefined) await scheduleGlobalJob(database, "sweepImportFiles");
      const ask = clients({ portfolio: settings.PORTFOLIO_GRPC, ledger: settings.LEDGER_GRPC }, assertions);
      return {
        routes: [bulkImportsDoor(store), importBundlesDoor(ask, { store, inbox: dir === undefined ? "" : uploadDirIn(dir) }), importMappingProfilesHttp],
        subscriptions,
        jobs: {
          validateBundles: validateBundles({ store, ask }),
          writeBundles: writeBundles(ask),
          ...(dir !== undefined && { sweepImportFiles: sweepFiles(store, { hasFiles: hasFiles, findReferenced: liveFiles }) }),
        },
        uploadDir: dir && uploadDirIn(dir),
      };
    },
  });
}
