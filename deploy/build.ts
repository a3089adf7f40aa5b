/**
 * `npm run build [-- <process> …]`: builds a folder under `build/` for each process, with its JavaScript and production
 * dependencies only. The process starts with plain `node dist/src/main.js`, and its image contains this folder.
 */
import { execFile } from "node:child_process";
import { appendFile, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { processes, services, type ProcessName } from "./system/secrets.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const packages = ["gateway", "packages/contract", "packages/domain", "packages/kit", "proto", ...services.map((name) => `services/${name}`)];

const PAGE_ASSETS = "gateway/src/pages/assets";
const SERVED_DOCUMENTS = ["docs/events.md", "docs/guides"];

/** Files that no process needs: TypeScript sources, source maps, documentation, tests and browser bundles. */
const excludedFiles = [
  /\.[cm]?ts$/,
  /\.map$/,
  /(?<!^docs\/(?:events|guides\/[\w-]+))\.md$/,
  /(^|\/)(pnpm-lock|lock|\.modules)\.yaml$|\.pnpm-workspace-state-v1\.json$/,
  // The package's smallest metadata and its modules are used.
  /\/libphonenumber-js\/(bundle|source|build|max|mobile)\//,
  /\/libphonenumber-js\/(metadata\.(full|max|mobile)|examples)\./,
  /\/node_modules\/(@[^/]+\/)?[^/]+\/test\//,
  /\/\.yarn\//,
  // The module builds of these packages are used; the others are for browsers and CommonJS.
  /\/pdfkit\/js\/pdfkit\.(?!node\.mjs$)/,
  /\/csv-(parse|stringify)\/dist\//,
  /\/fontkit\/(src\/|dist\/(?!module\.mjs$))/,
  /\/brotli\/build\//,
  /\/(pako|protobufjs)\/dist\//,
  /\/semantic-conventions\/dist\/(experimental_|index-incubating)/,
  // Documents embed two fonts of one package and one of the other; the packages contain further styles, formats and lists.
  /\/dejavu-fonts-ttf\/(?!package\.json$|LICENSE$|ttf\/DejaVuSans(-Bold)?\.ttf$)/,
  /\/unifontex\/files\/(?!.*\.woff$)/,
  // The documentation page loads `swagger-ui-bundle.js`; the others are for bundlers.
  /\/swagger-ui-dist\/swagger-ui(-es-bundle.*|-standalone-preset)?\.js$/,
];

async function run(command: string, args: string[], cwd: string): Promise<void> {
  await promisify(execFile)(command, args, { cwd, env: { ...process.env, CI: "true" } }).catch((error: { stdout?: string; stderr?: string }) => {
    throw new Error(`${command} ${args.join(" ")} failed:\n${error.stdout ?? ""}${error.stderr ?? ""}`);
  });
}

/** Creates a separate workspace with the compiled JavaScript, so that the build leaves this workspace unchanged. */
async function stageWorkspace(stage: string): Promise<void> {
  const emitted = join(stage, ".emitted");
  await run(join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.build.json", "--outDir", emitted], root);
  for (const path of packages) {
    await mkdir(join(stage, path), { recursive: true });
    await cp(join(root, path, "package.json"), join(stage, path, "package.json"));
    await rename(join(emitted, path), join(stage, path, "dist"));
  }
  // The scripts and styles of the gateway's pages are served as they are.
  await cp(join(root, PAGE_ASSETS), join(stage, PAGE_ASSETS.replace("gateway/", "gateway/dist/")), { recursive: true });
  // These documents are served as they are; `api-documents.ts` reads them three folders above its own folder.
  for (const path of SERVED_DOCUMENTS) await cp(join(root, path), join(stage, "gateway", path), { recursive: true });
  for (const name of ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"]) await cp(join(root, name), join(stage, name));
  // Workspace packages are copied into each folder instead of linked.
  await appendFile(join(stage, "pnpm-workspace.yaml"), "injectWorkspacePackages: true\n");
}

/** Lists the files below a folder without following links. */
export async function listFilesIn(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await listFilesIn(path)));
    else if (entry.isFile()) files.push(path);
  }
  return files;
}

async function prune(folder: string): Promise<void> {
  const files = await listFilesIn(folder);
  await Promise.all(files.filter((file) => excludedFiles.some((pattern) => pattern.test(relative(folder, file)))).map((file) => rm(file)));
}

/** Replaces the package.json that the installation has changed with the one of the sources, without its development dependencies. */
async function writePackageJson(folder: string, source: string): Promise<void> {
  const { devDependencies: _, ...description } = JSON.parse(await readFile(join(source, "package.json"), "utf8")) as Record<string, unknown>;
  await rm(join(folder, "package.json"));
  await writeFile(join(folder, "package.json"), `${JSON.stringify(description, null, 2)}\n`);
}

/** Builds the folder of each process from the lockfile. Returns the paths by process. */
export async function build(names: readonly ProcessName[], buildDir: string): Promise<Record<string, string>> {
  const stage = join(buildDir, ".stage");
  await rm(stage, { recursive: true, force: true });
  await mkdir(stage, { recursive: true });
  await stageWorkspace(stage);
  const folders = await Promise.all(
    names.map(async (name) => {
      const folder = join(buildDir, name);
      await rm(folder, { recursive: true, force: true });
      await run("npx", ["-y", "pnpm@10.34.8", "--filter", `@freehold/${name}`, "deploy", "--prod", "--prefer-offline", "--ignore-scripts", folder], stage);
      await prune(folder);
      await writePackageJson(folder, join(root, name === "gateway" ? name : `services/${name}`));
      return [name, folder] as const;
    }),
  );
  await rm(stage, { recursive: true });
  return Object.fromEntries(folders);
}

/** Returns the size of a folder in megabytes. */
export async function megabytes(folder: string): Promise<number> {
  const sizes = await Promise.all((await listFilesIn(folder)).map(async (file) => (await stat(file)).size));
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 100_000) / 10;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const requested = process.argv.slice(2);
  const unknown = requested.filter((name) => !(processes as readonly string[]).includes(name));
  if (unknown.length > 0) {
    process.stderr.write(`There is no process called ${unknown.join(" or ")}. Use any of: ${processes.join(", ")}.\n`);
    process.exit(1);
  }
  const startedAt = performance.now();
  const folders = await build(requested.length > 0 ? (requested as ProcessName[]) : processes, join(root, "build"));
  for (const [name, folder] of Object.entries(folders)) process.stdout.write(`${relative(root, folder)}  ${await megabytes(folder)} MB  (${name})\n`);
  process.stdout.write(`Built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.\n`);
}
