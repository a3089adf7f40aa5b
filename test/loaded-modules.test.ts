/** Libraries that a process needs rarely or never: they are not loaded at its start, so that they take no memory. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Returns the packages among the given ones that are loaded with a module. */
async function packagesLoadedBy(module: string, packages: readonly string[]): Promise<string[]> {
  const script = `
    const { registerHooks } = process.getBuiltinModule("node:module");
    const loaded = new Set();
    registerHooks({ load(url, context, next) { loaded.add(url); return next(url, context); } });
    await import(${JSON.stringify(new URL(module, new URL("..", import.meta.url)).href)});
    const urls = [...loaded];
    const found = ${JSON.stringify(packages)}.filter((name) => urls.some((url) => url.includes("/node_modules/" + name + "/")));
    console.log(JSON.stringify({ count: urls.length, found }));
    process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-C", "source", "--input-type=module", "-e", script], { cwd: root });
  const { count, found } = JSON.parse(stdout) as { count: number; found: string[] };
  expect(count).toBeGreaterThan(20);
  return found;
}

test.each([
  ["deploy/system/system.ts", ["@mikro-orm/core", "@grpc/grpc-js", "express"]],
  ["services/ledger/src/ledger.ts", ["pdfkit", "fontkit"]],
  ["services/communications/src/communications.ts", ["mailparser"]],
])("%s loads none of %j", async (module, packages) => {
  expect(await packagesLoadedBy(module, packages)).toEqual([]);
});
