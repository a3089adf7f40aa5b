/** npm's commands on a fresh clone, with a substitute for the installation, so that the tests install nothing. */
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
const commands = Object.keys(scripts).filter((name) => !name.startsWith("pre"));

let clone: string;
let bin: string;
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), "freehold-clone-"));
  bin = join(clone, "bin");
  for (const folder of ["bin", "deploy", "proto"]) mkdirSync(join(clone, folder));
  for (const file of ["package.json", "pnpm-lock.yaml", "deploy/bootstrap.mjs", "deploy/nats-server.mjs"]) cpSync(join(root, file), join(clone, file));
  symlinkSync(process.execPath, join(bin, "node"));
  program("nats-server", "exit 0");
  program("npx", install);
});
afterEach(() => rmSync(clone, { recursive: true }));

const program = (name: string, script: string) => writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });

/** Installs programs that print their names and arguments. */
const install = `echo "installing with $*"
  mkdir -p node_modules/node/bin node_modules/.bin
  for program in node/bin/node .bin/oxfmt .bin/buf; do
    printf '#!/bin/sh\\necho "ran \${0##*/} $*"\\n' > node_modules/$program; chmod +x node_modules/$program
  done`;

/** Runs a command with its preparation, as npm does. */
function run(name: string): { code: number | null; stdout: string; stderr: string } {
  const env = { PATH: [join(clone, "node_modules", ".bin"), bin, "/usr/bin", "/bin"].join(delimiter), npm_lifecycle_event: `pre${name}` };
  const command = `${scripts[`pre${name}`] ?? "true"} && { ${scripts[name]!}; }`;
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], { cwd: clone, encoding: "utf8", env });
  return { code: status, stdout, stderr };
}

describe("on a clone without dependencies", () => {
  test.each(commands)("npm run %s installs them first, and then finds its program", (name) => {
    const { code, stdout, stderr } = run(name);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^Installing dependencies .*\ninstalling with -y pnpm@\S+ install --frozen-lockfile/)]);
    expect(stdout).toMatch(/^(ran (node|oxfmt|buf)( \S*)*\n)+$/);
    const files = stdout.match(/\S+\.ts\b/g) ?? [];
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test("a command installs nothing again", () => {
    run("keys");
    expect(run("keys")).toEqual({ code: 0, stdout: "ran node deploy/keys.ts\n", stderr: "" });
  });

  test("the output of a command that npm runs contains nothing of the installation, so that it can be redirected", () => {
    const env = { ...process.env, PATH: [bin, process.env["PATH"]].join(delimiter) };
    const { status, stdout } = spawnSync("npm", ["run", "--silent", "keys"], { cwd: clone, encoding: "utf8", env });
    expect([status, stdout]).toEqual([0, "ran node deploy/keys.ts\n"]);
  });

  test("a failed installation is one sentence with the remedy", () => {
    program("npx", "exit 1");
    const { code, stderr } = run("keys");
    expect([code, stderr.split("\n").slice(1)]).toEqual([
      1,
      ["The dependencies could not be installed. Check that the npm registry can be reached, then run the command again.", ""],
    ]);
  });
});

test.each(["backup", "restore", "export", "dead-letters", "database-url"])(
  "npm run %s leaves the dependencies of a running system as they are after an update of the code",
  (name) => {
    run(name);
    writeFileSync(join(clone, "pnpm-lock.yaml"), "another version");
    expect(run(name).stderr).toBe("");
    expect(run("keys").stderr).toMatch(/^Installing dependencies/);
  },
);
