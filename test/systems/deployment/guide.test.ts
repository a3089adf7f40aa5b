/** The commands of docs/deployment.md as they are written there. Substitutes of docker and kubectl record how they are called. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parseAllDocuments } from "yaml";
import { processes } from "../../../deploy/system/secrets.ts";
import { readCompose } from "./compose.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const dir = mkdtempSync(join(tmpdir(), "freehold-guide-"));
const [clone, bin] = [join(dir, "freehold"), join(dir, "bin")];
const guide = readFileSync(join(root, "docs/deployment.md"), "utf8");

/** Returns the commands below a heading. */
function commandsBelow(heading: string): string {
  const section = guide.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  const block = /```sh\n([^]+?)```/.exec(section ?? "")?.[1];
  if (block === undefined) throw new Error(`docs/deployment.md has no commands below "${heading}".`);
  return block;
}

function follow(heading: string): void {
  const { status, stderr } = spawnSync("bash", ["--norc", "-euo", "pipefail", "-c", commandsBelow(heading)], {
    cwd: clone,
    encoding: "utf8",
    env: { ...process.env, PATH: [bin, process.env["PATH"]].join(delimiter), RECORD: join(dir, "record") },
  });
  expect([status, stderr]).toEqual([0, ""]);
}

/** Returns the calls of a substitute, in order: the arguments, and the standard input of those that read it. */
const callsOf = (program: string) =>
  readdirSync(dir)
    .filter((name) => name.startsWith(`record.${program}.`))
    .toSorted()
    .map((name) => readFileSync(join(dir, name), "utf8"));

beforeAll(() => {
  mkdirSync(clone);
  // The commands write into `deploy`, so this folder alone is copied.
  cpSync(join(root, "deploy"), join(clone, "deploy"), { recursive: true, filter: (path) => !/deploy\/(certificates|secrets|\.env)(\/|$)/.test(path) });
  for (const name of ["package.json", "pnpm-lock.yaml", "node_modules", "gateway", "packages", "proto", "services"])
    symlinkSync(join(root, name), join(clone, name));
  mkdirSync(bin);
  const record = `file=$RECORD.\${0##*/}.$(ls "$RECORD".* 2>/dev/null | wc -l); echo "$*" > "$file"; case "$*" in *" -") cat >> "$file";; esac`;
  for (const name of ["docker", "kubectl"]) writeFileSync(join(bin, name), `#!/bin/sh\n${record}\n`, { mode: 0o755 });
  // The clone shares the dependencies, so they must not be installed again.
  writeFileSync(join(bin, "npx"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe("the guide to a deployment", () => {
  test("with compose creates all settings and files that the compose file requires, with the secrets readable by their owner only, and then starts it", () => {
    follow("With compose");
    const settings = parseEnv(readFileSync(join(clone, "deploy/.env"), "utf8")) as Record<string, string>;
    const { configs, secrets } = readCompose(settings);
    const files = Object.values({ ...configs, ...secrets }).map(({ file }) => join(clone, "deploy", file));
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    const isOpen = (path: string) => (statSync(path).mode & 0o077) !== 0;
    const secretFiles = Object.values(secrets).map(({ file }) => join(clone, "deploy", file));
    expect(secretFiles.filter((file) => isOpen(file) && isOpen(dirname(file)))).toEqual([]);
    const [call, ...others] = callsOf("docker");
    expect(others).toEqual([]);
    const composeFile = /^compose -f (\S+) up --build --detach --wait\n$/.exec(call!)![1]!;
    expect(existsSync(join(clone, composeFile))).toBe(true);
  });

  test("with Kubernetes applies the settings of the installation, and then the manifests of the chosen images", () => {
    follow("With Kubernetes");
    const [first, second, ...others] = callsOf("kubectl");
    expect(others).toEqual([]);
    const settingsFile = join(clone, /^apply -f (\S+)\n$/.exec(first!)![1]!);
    expect(settingsFile.startsWith(clone)).toBe(false);
    expect(readFileSync(settingsFile, "utf8")).toBe(readFileSync(join(root, "deploy/kubernetes/installation.example.yaml"), "utf8"));
    const [call, ...yaml] = second!.split("\n");
    expect(call).toBe("apply -f -");
    const committed = readFileSync(join(root, "deploy/kubernetes/freehold.yaml"), "utf8");
    expect(parseAllDocuments(yaml.join("\n")).length).toBe(parseAllDocuments(committed).length);
    for (const name of processes) expect(second).toContain(`image: registry.example.com/freehold/${name}:0.1.0\n`);
  });
});
