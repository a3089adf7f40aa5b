import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { seedDemo } from "../deploy/demo.ts";
import { findProgram } from "../deploy/system/programs.ts";
import { demoLogins, demoPassword } from "../gateway/src/pages/demo-logins.ts";
import { Client } from "./support/client.ts";
import { running } from "./support/running.ts";

const { baseUrl } = running();
const execute = promisify(execFile);
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

/** Returns a block of the README's quickstart, with the address of the system under test. */
function quickstartBlock(name: string): string {
  const block = new RegExp(`<!-- quickstart: ${name} -->\\s*\`\`\`\\w*\\n([^]+?)\`\`\``).exec(readme)?.[1];
  if (block === undefined) throw new Error(`The README has no quickstart block named "${name}".`);
  return block.replaceAll("http://127.0.0.1:8080", baseUrl);
}

/** Converts an expected output to a pattern in which … matches any text. */
const patternOf = (expectedOutput: string) =>
  new RegExp(
    `${expectedOutput
      .trim()
      .split("…")
      .map((part) => RegExp.escape(part))
      .join("[^\\n]*?")}$`,
  );

describe("the README's quickstart", () => {
  const dir = mkdtempSync(join(tmpdir(), "freehold-readme-"));
  const expectedEvent = patternOf(quickstartBlock("output"));
  beforeAll(() => seedDemo(baseUrl));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** Runs a block of the README from a file, and returns what it prints. */
  async function run(name: string, fileName: string, program: string, environment = process.env): Promise<string> {
    writeFileSync(join(dir, fileName), quickstartBlock(name));
    return (await execute(program, [fileName], { cwd: dir, env: environment })).stdout.trim();
  }

  test("runs in a bash that has curl and jq", async () => {
    const bin = join(dir, "bin");
    mkdirSync(bin);
    for (const program of ["curl", "jq", "date", "grep", "mktemp", "rm", "sleep"]) symlinkSync(findProgram(program), join(bin, program));
    expect(await run("bash", "quickstart.sh", "/bin/bash", { ...process.env, PATH: bin })).toMatch(expectedEvent);
  });

  test("runs in Node", async () => {
    expect(await run("Node", "quickstart.mjs", process.execPath)).toMatch(expectedEvent);
  });

  test("runs in Python", async () => {
    expect(await run("Python", "quickstart.py", findProgram("python3"))).toMatch(expectedEvent);
  });
});

describe("the demo", () => {
  test("has an admin with a confirmed e-mail address, so that it can invite any number of people", async () => {
    await seedDemo(baseUrl);
    const { user } = await new Client(baseUrl).call("login", { body: { email: demoLogins[0]!.email, password: demoPassword } });
    expect(user.emailConfirmedAt).not.toBeNull();
  });

  test.each(demoLogins)("lets the $role sign in", async ({ role, email }) => {
    await seedDemo(baseUrl);
    const { user } = await new Client(baseUrl).call("login", { body: { email, password: demoPassword } });
    expect(user.role).toBe(role);
  });
});
