/** A process that migrates one service's database and ends; it runs before the service does, and alone knows the owner's password. */
import { z } from "zod";
import { ConfigurationError, databaseUrl, readConfig } from "./config.ts";
import { migrate, type DatabaseDefinition } from "./database.ts";

/** What the migration of a service is told: its database as its owner, and as the role that will serve. */
export const migrationSettings = (service: string) =>
  z.object({
    [`${service.toUpperCase()}_OWNER_DATABASE_URL`]: z
      .string()
      .startsWith("postgres")
      .describe(`the ${service} database, for the role that owns and migrates it`),
    [`${service.toUpperCase()}_DATABASE_URL`]: databaseUrl(service),
  });

/** Brings the schema up to date, says what it applied, and ends. A wrong setting ends it with one sentence and code 78. */
export async function runMigration(definition: DatabaseDefinition): Promise<void> {
  const { service } = definition;
  try {
    const [owner, serving] = Object.values(readConfig(migrationSettings(service)));
    const applied = await migrate(definition, owner!, decodeURIComponent(new URL(serving!).username));
    process.stdout.write(`${service}: ${applied.length > 0 ? `applied ${applied.join(", ")}` : "nothing to apply"}\n`);
  } catch (error) {
    const isMisconfigured = error instanceof ConfigurationError;
    process.stderr.write(`freehold-${service} cannot be migrated: ${isMisconfigured ? error.message : String((error as Error).stack ?? error)}\n`);
    process.exit(isMisconfigured ? 78 : 1);
  }
}
