import { runMigration } from "@freehold/kit/migrate";
import { database } from "./database.ts";

await runMigration(database);
