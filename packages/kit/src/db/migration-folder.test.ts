import { describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadMigrations, migrationNames } from "./migration-folder.ts";

describe("the folder of migrations", () => {
  test("lists its migrations by name, and no declarations, source maps or other files", () => {
    const dir = mkdtempSync(join(tmpdir(), "freehold-migrations-"));
    const files = ["202612010000-later.js", "202611010000-earlier.js", "202611010000-earlier.d.ts", "202611010000-earlier.js.map", "notes.js"];
    for (const file of files) writeFileSync(join(dir, file), "");
    expect(migrationNames(pathToFileURL(`${dir}/`))).toEqual(["202611010000-earlier", "202612010000-later"]);
    rmSync(dir, { recursive: true });
  });

  test("is refused when a file does not export a migration", async () => {
    const dir = mkdtempSync(join(tmpdir(), "freehold-migrations-"));
    writeFileSync(join(dir, "202611010000-text.js"), "module.exports = { sql: 'select 1' };");
    await expect(loadMigrations(pathToFileURL(`${dir}/`))).rejects.toThrow("202611010000-text.js must export one class that extends Migration.");
    rmSync(dir, { recursive: true });
  });
});
