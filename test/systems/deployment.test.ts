/** Built process folders, as in the images: their contents, and the system running with the settings of deploy/docker-compose.yaml. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { migrationSettings } from "@freehold/kit/runtime/migrate";
import { build, listFilesIn, megabytes } from "../../deploy/build.ts";
import { processes, services } from "../../deploy/system/secrets.ts";
import { startContainers, runToEnd, type Containers } from "./deployment/containers.ts";
import { imageCommand, healthCheck } from "./deployment/dockerfile.ts";
import { podOf } from "./deployment/manifests.ts";
import { schemas } from "../../deploy/system/schemas.ts";
import { requiredSettings } from "./deployment/schemas.ts";
import { firstQuarter } from "../support/journey.ts";

const LIMIT_MB = 30;
const root = fileURLToPath(new URL("../..", import.meta.url));
const dir = mkdtempSync(join(tmpdir(), "freehold-deployment-"));
let folders: Record<string, string>;
let containers: Containers;
let buildSeconds: number;

beforeAll(async () => {
  const started = performance.now();
  folders = await build(processes, join(dir, "build"));
  buildSeconds = (performance.now() - started) / 1000;
  containers = await startContainers(dir, folders);
}, 300_000);
afterAll(async () => {
  await containers?.stop();
  rmSync(dir, { recursive: true, force: true });
});

const readPackageJson = (folder: string) =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<"dependencies" | "devDependencies", Record<string, string> | undefined>;

/** Returns the packages that are only development dependencies. */
function developmentOnlyPackages(): Set<string> {
  const packageJsons = [".", "gateway", "packages/contract", "packages/domain", "packages/kit", "proto", ...services.map((name) => `services/${name}`)].map(
    (each) => readPackageJson(join(root, each)),
  );
  const namesIn = (field: "dependencies" | "devDependencies") => new Set(packageJsons.flatMap((each) => Object.keys(each[field] ?? {})));
  return namesIn("devDependencies").difference(namesIn("dependencies"));
}

describe("the folder of a process", () => {
  test(`has at most ${LIMIT_MB} MB`, async () => {
    const sizes = await Promise.all(processes.map(async (name) => [name, await megabytes(folders[name]!)] as const));
    process.stdout.write(`built in ${buildSeconds.toFixed(1)} s: ${sizes.map(([name, size]) => `${name} ${size} MB`).join(", ")} (limit ${LIMIT_MB} MB)\n`);
    expect(sizes.filter(([, size]) => size > LIMIT_MB)).toEqual([]);
  });

  test.each(processes)("of %s contains only what it needs at run time", async (name) => {
    const folder = folders[name]!;
    const files = (await listFilesIn(folder)).map((file) => relative(folder, file));
    const packageOf = (file: string) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? "@freehold/itself";
    const packages = new Set(files.map(packageOf));
    const expectedPackages = [
      "@freehold/itself",
      "@freehold/contract",
      "@freehold/domain",
      "@freehold/kit",
      ...(name === "gateway" ? [] : ["@freehold/proto"]),
    ];
    expect(existsSync(join(folder, imageCommand()[1]!))).toBe(true);
    expect(files.filter((file) => /\.(?:[cm]?ts|map)$/.test(file))).toEqual([]);
    const ownFiles = files.filter((file) => packageOf(file).startsWith("@freehold/"));
    expect(
      ownFiles.filter(
        (file) =>
          !/(^|@freehold\/\w+\/)(package\.json|dist\/(src|migrations|gen)\/.*\.js|dist\/src\/pages\/assets\/\w+\.css|docs\/(?:events|guides\/[\w-]+)\.md)$/.test(
            file,
          ),
      ),
    ).toEqual([]);
    expect([...packages].filter((each) => each.startsWith("@freehold/") && !expectedPackages.includes(each))).toEqual([]);
    // protobufjs declares @types/node as a dependency; only its package.json is left.
    expect([...packages].filter((each) => each !== "@types/node" && developmentOnlyPackages().has(each))).toEqual([]);
    expect(readPackageJson(folder).devDependencies).toBeUndefined();
  });

  test.each(processes)("of %s has every package that its own code imports", async (name) => {
    const folder = folders[name]!;
    const sources = (await listFilesIn(join(folder, "dist"))).map((file) => readFileSync(file, "utf8"));
    const imported = new Set(sources.flatMap((text) => [...text.matchAll(/\bfrom "((?:@[\w-]+\/)?[\w-]+)(?:\/[^"]*)?"/g)].map((match) => match[1]!)));
    expect(imported.size).toBeGreaterThan(2);
    expect([...imported].filter((each) => !existsSync(join(folder, "node_modules", each)))).toEqual([]);
  });
});

describe("a deployed program", () => {
  test.each(processes)("%s without settings exits and names every missing setting", (name) => {
    const { code, output } = runToEnd(folders[name]!, imageCommand(), {});
    expect(code).toBe(78);
    expect(requiredSettings(schemas[name]).filter((setting) => !output.includes(`${setting} is not set`))).toEqual([]);
  });

  test.each(services)("the migration of %s without settings exits and names every missing setting", (name) => {
    const { code, output } = runToEnd(folders[name]!, ["node", "dist/src/migrate.js"], {});
    expect(code).toBe(78);
    expect(requiredSettings(migrationSettings(name)).filter((setting) => !output.includes(`${setting} is not set`))).toEqual([]);
  });

  test.each(services)("the migration of %s prints the applied migrations, and nothing to apply the second time", (name) => {
    expect(containers.migrationOutputs[name]).toMatch(new RegExp(`^${name}: applied 000-kit`));
    const secondRun = runToEnd(folders[name]!, ["node", "dist/src/migrate.js"], containers.settingsOf(`${name}-migration` as never));
    expect(secondRun).toEqual({ code: 0, output: `${name}: nothing to apply` });
  });

  test.each(processes)("%s passes every probe of its manifest and the health check of its image", async (name) => {
    const probes = podOf(name).probes.map(async ({ path, port }) => {
      const { status } = await fetch(`http://127.0.0.1:${containers.localPorts.get(`${name}:${port}`)}${path}`);
      return `${path} ${status}`;
    });
    const results = await Promise.all(probes);
    expect(new Set(results)).toEqual(new Set(["/health/live 200", "/health/ready 200"]));
    expect(runToEnd(folders[name]!, healthCheck(), containers.settingsOf(name))).toEqual({ code: 0, output: "" });
  });
});

firstQuarter(() => containers.baseUrl);
