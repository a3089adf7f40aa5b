import { startService } from "@freehold/kit/service";
import { config } from "./config.ts";
import { database } from "./database.ts";

export function start() {
  const settings = config();
  return startService({
    name: "portfolio",
    database,
    databaseUrl: settings.PORTFOLIO_DATABASE_URL,
    settings,
    assemble: () => ({ doors: [] }),
  });
}
