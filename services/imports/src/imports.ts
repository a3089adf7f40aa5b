import { chooseStore } from "@freehold/kit/chosen-store";
import { inboxIn } from "@freehold/kit/file-store";
import { keepRunning, sweepFiles } from "@freehold/kit/file-sweep";
import { startService } from "@freehold/kit/service";
import { bulkImportsDoor } from "./bulk-imports/bulk-imports.http.ts";
import { clients } from "./clients.ts";
import { config } from "./config.ts";
import { database } from "./database.ts";
import { importBundlesDoor } from "./import-bundles/import-bundles.http.ts";
import { hasFiles, liveFiles } from "./import-files/import-files.queries.ts";
import { importMappingProfilesHttp } from "./import-mapping-profiles/import-mapping-profiles.http.ts";
import { subscriptions } from "./subscriptions.ts";
import { writeBundles } from "./writing/write-bundles.ts";
import { validateBundles } from "./validating/validate-bundles.ts";

/** Files of other systems, and what becomes of their rows. */
export function start() {
  const settings = config();
  const { IMPORTS_DIR: dir } = settings;
  const store = chooseStore(settings, { what: "Import files", setting: "IMPORTS_DIR", dir, folder: "imports" });
  return startService({
    name: "imports",
    database,
    databaseUrl: settings.IMPORTS_DATABASE_URL,
    settings,
    assemble: async ({ seals, database }) => {
      if (dir !== undefined) await keepRunning(database, "sweepImportFiles");
      const ask = clients({ portfolio: settings.PORTFOLIO_GRPC, ledger: settings.LEDGER_GRPC }, seals);
      return {
        doors: [bulkImportsDoor(store), importBundlesDoor(ask, { store, inbox: dir === undefined ? "" : inboxIn(dir) }), importMappingProfilesHttp],
        subscriptions,
        jobs: {
          validateBundles: validateBundles({ store, ask }),
          writeBundles: writeBundles(ask),
          ...(dir !== undefined && { sweepImportFiles: sweepFiles(store, { hasAny: hasFiles, live: liveFiles }) }),
        },
        inbox: dir && inboxIn(dir),
      };
    },
  });
}
