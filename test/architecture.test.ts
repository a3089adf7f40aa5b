/** Architecture rules checked against the sources: allowed imports, code that belongs in certain files, and file lengths. */
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Source {
  path: string;
  text: string;
  lines: number;
  imports: string[];
  /** Imports that exist at run time, without type-only imports. */
  runtimeImports: string[];
  isTest: boolean;
}

function readSource(path: string): Source {
  const text = readFileSync(join(root, path), "utf8");
  const specifiers = (pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1]!);
  return {
    path,
    text,
    lines: text.trimEnd().split("\n").length,
    imports: specifiers(/\b(?:from|import)\s*\(?\s*"([^"\n]+)"/g),
    runtimeImports: specifiers(/^(?:import|export)\s(?!type\b)[^;]*?"([^"\n]+)"/gm),
    isTest: /\.test\.ts$|^test\/|^services\/\w+\/test\/|\.fixtures\.ts$/.test(path),
  };
}

const skippedFolders = new Set(["node_modules", "gen", "dist", ".data"]);
const findSourcePaths = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (skippedFolders.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? findSourcePaths(path) : path.endsWith(".ts") ? [path] : [];
  });
const allSources = ["packages", "gateway", "services", "deploy", "docs", "test"].flatMap(findSourcePaths).map(readSource);
const sources = allSources.filter(({ isTest }) => !isTest);
const sourcesIn = (folder: string) => allSources.filter(({ path }) => path.startsWith(`${folder}/`));

/** Resolves a relative import to a path from the root. Returns a package name unchanged. */
const resolveImport = ({ path }: Source, imported: string) => (imported.startsWith(".") ? join(dirname(path), imported) : imported);
const isWorkspacePackage = (imported: string) => imported.startsWith("@freehold/");

/** Resolved path of a relative import of a file of this repository. */
const REPOSITORY_PATH = /^(services|gateway|packages|proto|deploy|docs|test)\//;

/** Returns a sentence for each import that is not allowed. */
const importViolations = (
  importers: readonly Source[],
  isAllowed: (imported: string, source: Source) => boolean,
  reason: string,
  kind: "imports" | "runtimeImports" = "imports",
) =>
  importers.flatMap((source) =>
    source[kind].flatMap((imported) => (isAllowed(resolveImport(source, imported), source) ? [] : [`${source.path} imports ${imported}, but ${reason}.`])),
  );

/** Modules of Node.js except `crypto` and `util`, which rules may use since they do no input or output. */
const impureNodeModule = /^node:(?!crypto$|util$)/;
const packageFolderOf = ({ path }: Source) => /^(?:packages|services)\/[\w-]+|^\w+/.exec(path)![0];

describe("imports", () => {
  test("the contract imports only zod and zod-openapi", () => {
    const contract = sourcesIn("packages/contract").filter(({ isTest }) => !isTest);
    const isAllowed = (imported: string) => imported.startsWith("packages/contract/") || ["zod", "zod-openapi"].includes(imported);
    expect(importViolations(contract, isAllowed, "the contract is for every caller and imports only zod and zod-openapi")).toEqual([]);
  });

  test("the kit imports the contract and nothing else of this repository", () => {
    const kit = sourcesIn("packages/kit").filter(({ isTest }) => !isTest);
    const isAllowed = (imported: string) =>
      imported.startsWith("packages/kit/") || /^@freehold\/contract(\/|$)/.test(imported) || (!isWorkspacePackage(imported) && !REPOSITORY_PATH.test(imported));
    expect(importViolations(kit, isAllowed, "the kit is plumbing under all services")).toEqual([]);
  });

  test("the kit contains no domain terms", () => {
    // `lease` is missing on purpose: in the kit it is a lock that expires.
    const words = /\b(payments?|tenants?|charges?|rents?|vendors?|invoices?|journals?)\b/i;
    const found = sourcesIn("packages/kit").flatMap(({ path, text, isTest }) =>
      isTest
        ? []
        : text.split("\n").flatMap((line, index) => (words.test(line) ? [`${path}:${index + 1} contains ${words.exec(line)![0]}: ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });

  test("a service imports nothing of this repository but the contract, the domain, the kit, the gRPC definitions and itself", () => {
    const isAllowed = (imported: string, source: Source) =>
      isWorkspacePackage(imported)
        ? /^@freehold\/(contract|domain|kit|proto)(\/|$)/.test(imported)
        : imported.includes("/") && !imported.startsWith("@") && REPOSITORY_PATH.test(imported)
          ? imported.startsWith(`${packageFolderOf(source)}/`)
          : true;
    expect(
      importViolations(
        sourcesIn("services").filter(({ isTest }) => !isTest),
        isAllowed,
        "services share nothing but contract, domain, kit and proto",
      ),
    ).toEqual([]);
  });

  test("a service's tests import no other service", () => {
    const isAllowed = (imported: string, source: Source) => !imported.startsWith("services/") || imported.startsWith(`${packageFolderOf(source)}/`);
    expect(
      importViolations(
        sourcesIn("services").filter(({ isTest }) => isTest),
        isAllowed,
        "services are tested through their public interfaces",
      ),
    ).toEqual([]);
  });

  test("the gateway imports the contract and the kit, no service and no gRPC definitions", () => {
    const isAllowed = (imported: string) =>
      isWorkspacePackage(imported) ? /^@freehold\/(contract|kit)(\/|$)/.test(imported) : imported.startsWith("gateway/") || !REPOSITORY_PATH.test(imported);
    expect(
      importViolations(
        sourcesIn("gateway").filter(({ isTest }) => !isTest),
        isAllowed,
        "the gateway is independent of the domain",
      ),
    ).toEqual([]);
  });

  test("a rule imports no transport and no storage, and does not read the clock", () => {
    const rules = allSources.filter(({ path }) => path.endsWith(".rules.ts"));
    const forbidden = /^(express|pg|@mikro-orm\/|@grpc\/|@nats-io\/|@freehold\/kit\/(db|http|rpc|events)\/|@freehold\/proto)/;
    const isAllowed = (imported: string) =>
      !forbidden.test(imported) && !impureNodeModule.test(imported) && !/\.(entity|queries|routes|grpc)\.ts$/.test(imported);
    expect(rules.length).toBeGreaterThan(5);
    expect(importViolations(rules, isAllowed, "a rule is pure", "runtimeImports")).toEqual([]);
    expect(
      rules.filter(({ text }) => /Date\.now\(|new Date\(\)/.test(text)).map(({ path }) => `${path} reads the clock; pass the date as a parameter.`),
    ).toEqual([]);
  });
});

describe("sources", () => {
  test("only the kit's HTTP modules and the gateway write responses", () => {
    // `import-bundles.routes.ts` streams a ZIP, and the errors of `token-form.ts` have the form of RFC 6749.
    const allowed =
      /^(gateway\/|packages\/kit\/src\/(http\/(respond|csv|download)|runtime\/(service|lifecycle))\.ts$|services\/(imports\/src\/import-bundles\/import-bundles\.routes|identity\/src\/auth\/tokens\/token-form)\.ts$)/;
    const writesResponse = /\bres\.(status|json|send)\(|\.statusCode\s*=[^=]/;
    const found = sources.filter(({ path, text }) => !allowed.test(path) && writesResponse.test(text));
    expect(found.map(({ path }) => `${path} writes a response; return it, or throw an ApiError.`)).toEqual([]);
  });

  test("services access the database only through OrgDb", () => {
    // The pool and the ORM belong to the kit; services receive a connection scoped to an organization.
    const found = sourcesIn("services").filter(
      ({ path, text, isTest }) => !isTest && !/\/migrations\//.test(path) && /\bfrom "(pg|@mikro-orm\/postgresql)"/.test(text),
    );
    expect(found.map(({ path }) => `${path} opens its own database connection; use OrgDb.`)).toEqual([]);
  });

  test("source files are short: the median at most 60 lines, none above 350", () => {
    const lengths = sources.map(({ lines }) => lines).toSorted((a, b) => a - b);
    const median = lengths[Math.floor(lengths.length / 2)]!;
    const ninetieth = lengths[Math.floor(lengths.length * 0.9)]!;
    process.stdout.write(`${sources.length} source files: median ${median} lines, 90th percentile ${ninetieth}, longest ${lengths.at(-1)}\n`);
    expect(median).toBeLessThanOrEqual(60);
    expect(sources.filter(({ lines }) => lines > 350).map(({ path, lines }) => `${path} has ${lines} lines; split it.`)).toEqual([]);
  });

  test("no process runs text as code, starts a program, makes numbers that can be guessed, or trusts an unverified certificate", () => {
    // `garbage-collection.ts` uses node:vm to get `gc`.
    const allowed = /^packages\/kit\/src\/runtime\/garbage-collection\.ts$/;
    const unsafe = /\beval\(|\bnew Function\(|"node:(?:vm|child_process)"|\bMath\.random\(|\brejectUnauthorized\b|NODE_TLS_REJECT_UNAUTHORIZED/;
    const found = ["gateway", "services", "packages"].flatMap(sourcesIn).flatMap(({ path, text, isTest }) => {
      const match = isTest || allowed.test(path) ? undefined : unsafe.exec(text);
      return match ? [`${path} contains ${match[0]}.`] : [];
    });
    expect(found).toEqual([]);
  });

  test("no test is skipped or focused, and no work is left open", () => {
    const found = allSources.flatMap(({ path, text, isTest }) => {
      const skippedTest = isTest && /\b(?:test|it|describe)\.(?:only|skip|todo)\b|\b(?:xit|xtest|fit|fdescribe)\(/.exec(text);
      const openWork = /\b(?:T[O]DO|F[I]XME|X[X]X)\b/.exec(text);
      return [skippedTest, openWork].flatMap((match) => (match ? [`${path} contains ${match[0]}.`] : []));
    });
    expect(found).toEqual([]);
  });

  test("no file contains a path on a developer's machine", () => {
    const found = allSources.filter(({ text }) => /\/work\/|\/home\/\w+\/|\/Users\/\w+\//.test(text.replaceAll(/new RegExp\(.*|\/\\\/work.*/g, "")));
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});
