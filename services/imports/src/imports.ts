import { configuredStore } from "@freehold/kit/files/configured-store";
import { uploadDirIn } from "@freehold/kit/files/file-store";
import { quotaFinder, uploadCapacity } from "@freehold/kit/files/storage-quota";
import { scheduleGlobalJob } from "@freehold/kit/jobs/scheduler";
import { sweepFiles } from "@freehold/kit/files/file-sweep";
import { startService } from "@freehold/kit/runtime/service";
import { bulkImportRoutes } from "./bulk-imports/bulk-imports.routes.ts";
import { createClients } from "./clients.ts";
import { config } from "./config.ts";
import { database } from "./database.ts";
import { importBundleRoutes } from "./import-bundles/import-bundles.routes.ts";
import { findReferencedFiles, hasFiles } from "./import-files/import-files.queries.ts";
import { readImportBytes } from "./import-files/import-usage.queries.ts";
import { importMappingProfileRoutes } from "./import-mapping-profiles/import-mapping-profiles.routes.ts";
import { subscriptions } from "./subscriptions.ts";
import { writeBundles } from "./writing/write-bundles.ts";
import { validateBundles } from "./validation/validate-bundles.ts";

/** Starts the imports service. */
export function start() {
  const settings = config();
  const { IMPORTS_DIR: dir } = settings;
  const store = configuredStore(settings, { description: "Import files", setting: "IMPORTS_DIR", dir, keyPrefix: "imports" });
  const quotaTexts = { files: "import files", remedy: "Cancel imports that are not needed, or remove their files." };
  return startService({
    name: "imports",
    database,
    databaseUrl: settings.IMPORTS_DATABASE_URL,
    settings,
    assemble: async (core) => {
      if (dir !== undefined) await scheduleGlobalJob(core.database, "sweepImportFiles");
      const clients = createClients({ identity: settings.IDENTITY_GRPC, portfolio: settings.PORTFOLIO_GRPC, ledger: settings.LEDGER_GRPC }, core.assertions);
      const findQuota = quotaFinder(settings, quotaTexts, async (db) => (await clients.identity.getOrganization(db, {})).isConfirmed);
      const storage = { store, uploadDir: dir === undefined ? "" : uploadDirIn(dir), findQuota };
      return {
        routes: [bulkImportRoutes(storage), importBundleRoutes(clients, storage), importMappingProfileRoutes],
        subscriptions,
        jobs: {
          validateBundles: validateBundles({ store, clients, log: core.log }),
          writeBundles: writeBundles(clients, core.log),
          ...(dir !== undefined && { sweepImportFiles: sweepFiles(store, { hasFiles, findReferenced: findReferencedFiles }) }),
        },
        uploadDir: dir && uploadDirIn(dir),
        uploadCapacity: async (db) => uploadCapacity(await findQuota(db), await readImportBytes(db)),
      };
    },
  });
}
