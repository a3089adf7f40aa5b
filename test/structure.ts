/** Checks of the source tree: folder sizes, circular imports, doc comments, and names of exported functions. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

const MAX_FILES = 15;
const isTest = (path: string) => /\.test\.ts$|^test\/|^services\/\w+\/test\/|\.fixtures\.ts$/.test(path);

interface Source {
  path: string;
  text: string;
}

/** Reads every TypeScript source of the project except generated code, migrations and ambient declarations. */
function readSources(root: string): Source[] {
  return globSync("{packages,gateway,services,deploy,docs,test}/**/*.ts", { cwd: root, exclude: (name) => /^(node_modules|gen|migrations|dist)$/.test(name) })
    .filter((path) => !/\/(node_modules|gen|dist|migrations)\/|\.d\.ts$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

function largeFolders(sources: readonly Source[]): string[] {
  const byFolder = Map.groupBy(
    sources.filter(({ path }) => !path.endsWith(".test.ts")),
    ({ path }) => dirname(path),
  );
  return [...byFolder].flatMap(([folder, files]) => (files.length > MAX_FILES ? [`${folder} has ${files.length} source files; give it subfolders.`] : []));
}

const packages: Record<string, string> = { contract: "packages/contract", domain: "packages/domain", kit: "packages/kit" };

/** Returns the files that a file imports, types included. */
function importsOf({ path, text }: Source): string[] {
  return [...text.matchAll(/\bfrom "([^"\n]+)"|\bimport\("([^"\n]+)"\)/g)].flatMap((match) => {
    const target = (match[1] ?? match[2])!;
    if (target.startsWith(".")) return [posix.normalize(posix.join(dirname(path), target))];
    const ours = /^@freehold\/(\w+)(?:\/(.+))?$/.exec(target);
    const folder = ours && (packages[ours[1]!] ?? `services/${ours[1]!}`);
    return ours ? [`${folder}/src/${ours[2] ?? "index"}.ts`] : [];
  });
}

function circularImports(sources: readonly Source[]): string[] {
  const imports = new Map(sources.map((source) => [source.path, importsOf(source)]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) found.push(`Circular import: ${[...trail.slice(trail.indexOf(path)), path].join(" → ")}`);
    if (done.has(path) || trail.includes(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const { path } of sources) visit(path, []);
  return found;
}

/** Returns the doc comments that start with a pronoun such as `What` instead of a noun or verb. */
function unclearDocComments(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) =>
    text
      .split("\n")
      .flatMap((line, index) =>
        /^\s*(?:\/\*\*|\*)\s+(?:What|Whatever|Who|Whoever|Whom|Whose|Whether)\b/.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [],
      ),
  );
}

/** Names that every service exports for the same purpose. */
const sharedNames = /^(config|start|clients|createClients|subscriptions|jobs|schema)$/;

function ambiguousNames(sources: readonly Source[]): string[] {
  const exported = sources
    .filter(({ path }) => !isTest(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:async )?function\*? (\w+)|^export const (\w+)(?:: [^=]+)? =\s*(?:async )?(?:<[^=]*>)?\(/gm)].map((match) => ({
        path,
        name: (match[1] ?? match[2])!,
      })),
    );
  return [...Map.groupBy(exported, ({ name }) => name)].flatMap(([name, places]) =>
    places.length > 1 && !sharedNames.test(name) ? [`${name} is exported by ${places.map(({ path }) => path).join(" and ")}; give each its own name.`] : [],
  );
}

/** Returns one line for each violation. */
export function checkStructure(root: string): string[] {
  const sources = readSources(root);
  return [...largeFolders(sources), ...circularImports(sources), ...unclearDocComments(sources), ...ambiguousNames(sources)];
}
