/** Migrates a service's database in a separate process, which runs before the service and is the only one with the owner's password. */
import { z } from "zod";
import { ConfigurationError, databaseUrl, readConfig } from "../config.ts";
import { migrate, type DatabaseDefinition } from "../db/database.ts";

/** Settings of a migration: the database URL of its owner, and that of the service's role. */
export const migrationSettings = (service: string) =>
  z.object({
    [`${service.toUpperCase()}_OWNER_DATABASE_URL`]: z
      .string()
      .startsWith("postgres")
      .describe(`database of the ${service} service, with the role that owns and migrates it`),
    [`${service.toUpperCase()}_DATABASE_URL`]: databaseUrl(service),
  });

/** Migrates the schema and prints the applied migrations. A configuration error ends the process with one message and exit code 78. */
export async function runMigration(definition: DatabaseDefinition): Promise<void> {
  const { service } = definition;
  try {
    const [ownerUrl, serviceUrl] = Object.values(readConfig(migrationSettings(service)));
    const applied = await migrate(definition, ownerUrl!, decodeURIComponent(new URL(serviceUrl!).username));
    process.stdout.write(`${service}: ${applied.length > 0 ? `applied ${applied.join(", ")}` : "nothing to apply"}\n`);
  } catch (error) {
    const isMisconfigured = error instanceof ConfigurationError;
    process.stderr.write(`freehold-${service} cannot be migrated: ${isMisconfigured ? error.message : String((error as Error).stack ?? error)}\n`);
    process.exit(isMisconfigured ? 78 : 1);
  }
}
