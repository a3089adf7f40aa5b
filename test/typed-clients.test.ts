/** Client generated from the OpenAPI document of the running system, compiled and run with the program that the guide prints. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { anOffice, password } from "./support/office.ts";
import { printedPrograms } from "./support/printed-programs.ts";
import { running } from "./support/running.ts";

const { baseUrl } = running();
const execute = promisify(execFile);
const dir = mkdtempSync(join(tmpdir(), "freehold-clients-"));
const modules = fileURLToPath(new URL("clients/node_modules", import.meta.url));
const compiler = join(fileURLToPath(new URL("../node_modules/.bin", import.meta.url)), "tsc");
const guide = printedPrograms(new URL("../docs/guides/typed-clients.md", import.meta.url), baseUrl);

const compilerOptions = {
  target: "es2024",
  lib: ["esnext"],
  module: "nodenext",
  types: ["node"],
  typeRoots: [fileURLToPath(new URL("../node_modules/@types", import.meta.url))],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  noEmit: true,
};

beforeAll(async () => {
  symlinkSync(modules, join(dir, "node_modules"));
  writeFileSync(join(dir, "package.json"), '{ "type": "module" }');
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["month.ts"] }));
  const generator = join(modules, "openapi-typescript/bin/cli.js");
  await execute(process.execPath, [generator, `${baseUrl}/api/openapi.json`, "-o", "freehold.d.ts"], { cwd: dir });
});
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
  guide.remove();
});

/** Compiles a program and returns the errors. */
async function problemsIn(program: string): Promise<string> {
  writeFileSync(join(dir, "month.ts"), program);
  return (await execute(compiler, ["-p", dir, "--pretty", "false"]).catch((failure: { stdout: string }) => failure)).stdout;
}

test("a month of a tenancy compiles with generated types in strict mode, and runs", async () => {
  const { email } = await anOffice();
  const program = guide.blockOf("example: month with openapi-fetch").replace("admin@demo.example", email).replace("freehold-demo", password);
  expect(await problemsIn(program)).toBe("");
  const { stdout } = await execute(process.execPath, ["month.ts"], { cwd: dir });
  expect(stdout.trim()).toBe(guide.blockOf("example: month's output").trim());
});

test("generated types refuse a misspelled member, a wrong enum value and a code of no error", async () => {
  const wrong = `import createClient from "openapi-fetch";
import type { components, paths } from "./freehold.d.ts";
const client = createClient<paths>({ baseUrl: "" });
void client.POST("/api/tenants", { body: { fullname: "Fay Fern" } });
void client.GET("/api/leases", { params: { query: { status: ["activ"] } } });
const isUnknown = (error: components["schemas"]["ApiError"]) => error.code === "no_such_code";
isUnknown({ message: "" });
`;
  expect([...(await problemsIn(wrong)).matchAll(/month\.ts\((\d+),/g)].map(([, line]) => Number(line))).toEqual([4, 5, 6]);
});
