import { startService } from "@freehold/kit/service";
import { config } from "./config.ts";
import { database } from "./database.ts";
import { importBundlesHttp } from "./import-bundles/import-bundles.http.ts";

export function start() {
  const settings = config();
  return startService({
    name: "imports",
    database,
    databaseUrl: settings.IMPORTS_DATABASE_URL,
    settings,
    assemble: () => ({ doors: [importBundlesHttp] }),
  });
}
