/**
 * Database functions: the files in `services/<service>/functions`, and in `packages/kit/functions` for functions of every service,
 * contain each function and its triggers after all migrations. `UPDATE_FUNCTIONS=true npm test -- test/functions.test.ts` writes them.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import pg from "pg";
import { services } from "../deploy/system/secrets.ts";
import { running } from "./support/running.ts";

const folderOf = (service: string) => join("services", service, "functions");
const KIT_FOLDER = join("packages", "kit", "functions");

/** Returns the definition of each function of a service's database, followed by its triggers, by name. */
async function readFunctions(url: string): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; definition: string }>(`
      select f.proname as name, string_agg(rtrim(pg_get_functiondef(f.oid), E'\\n') || E';\\n' || coalesce(t.triggers, ''), E'\\n' order by f.oid::regprocedure::text) as definition
      from pg_proc f left join lateral (select string_agg(pg_get_triggerdef(t.oid) || E';\\n', '' order by t.tgrelid::regclass::text, t.tgname) as triggers
        from pg_trigger t where t.tgfoid = f.oid) t on true
      where f.pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = f.oid and d.deptype = 'e')
      group by f.proname`);
    return new Map(rows.map(({ name, definition }) => [name, definition]));
  } finally {
    await client.end();
  }
}

/** Returns the path of each function's file by the name of the function. */
function listFiles(service: string): Map<string, string> {
  const filesIn = (folder: string) =>
    (existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : []).filter((file) => file.endsWith(".sql"));
  return new Map([KIT_FOLDER, folderOf(service)].flatMap((folder) => filesIn(folder).map((file) => [basename(file, ".sql"), join(folder, file)])));
}

/** Writes the current functions. A function that has a file keeps its folder. */
function updateFiles(service: string, functions: Map<string, string>, files: Map<string, string>): void {
  for (const [name, file] of files) if (!functions.has(name)) rmSync(file);
  for (const [name, definition] of functions) {
    const file = files.get(name) ?? join(folderOf(service), `${name}.sql`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, definition);
  }
}

describe.each(services)("the functions of the database of %s", (service) => {
  test("equal their files", async () => {
    const functions = await readFunctions(running().databaseUrls[service].owner);
    if (process.env["UPDATE_FUNCTIONS"] === "true") updateFiles(service, functions, listFiles(service));
    const files = listFiles(service);
    const outdated = [...functions].filter(([name, definition]) => !files.has(name) || readFileSync(files.get(name)!, "utf8") !== definition);
    const superfluous = [...files.keys()].filter((name) => !functions.has(name));
    expect({ outdated: outdated.map(([name]) => name), superfluous }).toEqual({ outdated: [], superfluous: [] });
  });

  test("search temporary tables last if they run with the owner's privileges, so that a caller cannot replace a table", async () => {
    const functions = await readFunctions(running().databaseUrls[service].owner);
    const privileged = [...functions].filter(([, definition]) => definition.includes("SECURITY DEFINER"));
    const unprotected = privileged.filter(([, definition]) => !definition.includes("SET search_path TO 'public', 'pg_temp'"));
    expect(unprotected.map(([name]) => name)).toEqual([]);
  });
});
