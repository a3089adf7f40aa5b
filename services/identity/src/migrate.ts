import { runMigration } from "@freehold/kit/runtime/migrate";
import { database } from "./database.ts";

await runMigration(database);
