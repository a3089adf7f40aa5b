import { startService } from "@freehold/kit/service";
import { config } from "./config.ts";
import { database } from "./database.ts";

export function start() {
  const settings = config();
  return startService({
    name: "ledger",
    database,
    databaseUrl: settings.LEDGER_DATABASE_URL,
    settings,
    assemble: () => ({ doors: [] }),
  });
}
