/** Folder with the migrations of a service: a class in each file, executed in the order of the file names. */
import { Migration } from "@mikro-orm/migrations";
import { readdirSync } from "node:fs";

export type MigrationClass = new (...args: ConstructorParameters<typeof Migration>) => Migration;

/** File name of a migration: the minute of its creation and its effect. */
const MIGRATION_FILE = /^(\d{12}-[a-z0-9-]+)\.(?:js|ts)$/;

const isMigration = (value: unknown): value is MigrationClass => typeof value === "function" && value.prototype instanceof Migration;

interface MigrationFile {
  name: string;
  file: URL;
}

const listMigrations = (folder: URL): MigrationFile[] =>
  readdirSync(folder)
    .toSorted()
    .flatMap((fileName) => {
      const [, name] = MIGRATION_FILE.exec(fileName) ?? [];
      return name === undefined ? [] : [{ name, file: new URL(fileName, folder) }];
    });

/** Returns the names of the migrations in a folder, in the order of their execution. */
export const migrationNames = (folder: URL): string[] => listMigrations(folder).map(({ name }) => name);

/** Loads the migrations of a folder, in the order of their execution. */
export const loadMigrations = (folder: URL): Promise<{ name: string; class: MigrationClass }[]> =>
  Promise.all(
    listMigrations(folder).map(async ({ name, file }) => {
      const exported = Object.values((await import(file.href)) as Record<string, unknown>);
      const [migration, ...others] = exported.filter(isMigration);
      if (!migration || others.length > 0) throw new Error(`${file.pathname} must export one class that extends Migration.`);
      return { name, class: migration };
    }),
  );
