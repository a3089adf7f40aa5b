/** The arrows of the house, read from the sources: who may import whom, and what may stand where. */
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Source {
  path: string;
  text: string;
  lines: number;
  imports: string[];
  /** Those that leave a trace when it runs; types leave none. */
  needs: string[];
  isTest: boolean;
}

function read(path: string): Source {
  const text = readFileSync(join(root, path), "utf8");
  const imported = (pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1]!);
  return {
    path,
    text,
    lines: text.trimEnd().split("\n").length,
    imports: imported(/\b(?:from|import)\s*\(?\s*"([^"\n]+)"/g),
    needs: imported(/^(?:import|export)\s(?!type\b)[^;]*?"([^"\n]+)"/gm),
    isTest: /\.test\.ts$|^test\/|^services\/\w+\/test\/|\.fixtures\.ts$/.test(path),
  };
}

const skipped = new Set(["node_modules", "gen", "dist", ".data"]);
const find = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? find(path) : path.endsWith(".ts") ? [path] : [];
  });
const all = ["packages", "gateway", "services", "deploy", "docs", "test"].flatMap(find).map(read);
const sources = all.filter(({ isTest }) => !isTest);
const inside = (folder: string) => all.filter(({ path }) => path.startsWith(`${folder}/`));

/** Where a relative import leads, from the root; what is imported by name stays as it is. */
const target = ({ path }: Source, imported: string) => (imported.startsWith(".") ? join(dirname(path), imported) : imported);
const isOurs = (imported: string) => imported.startsWith("@freehold/");

/** One sentence for each import that is not allowed. */
const wrong = (from: readonly Source[], isAllowed: (imported: string, source: Source) => boolean, because: string, which: "imports" | "needs" = "imports") =>
  from.flatMap((source) =>
    source[which].flatMap((imported) => (isAllowed(target(source, imported), source) ? [] : [`${source.path} imports ${imported}, but ${because}.`])),
  );

/** Of Node's own, only what computes. */
const nodesOwn = /^node:(?!crypto$|util$)/;
const packageOf = ({ path }: Source) => /^(?:packages|services)\/[\w-]+|^\w+/.exec(path)![0];

describe("who imports whom", () => {
  test("the contract stands on zod and on nothing of ours", () => {
    const contract = inside("packages/contract").filter(({ isTest }) => !isTest);
    const isAllowed = (imported: string) => imported.startsWith("packages/contract/") || ["zod", "zod-openapi"].includes(imported);
    expect(wrong(contract, isAllowed, "the contract is for every caller and imports only zod")).toEqual([]);
  });

  test("the kit knows the contract and no service", () => {
    const kit = inside("packages/kit").filter(({ isTest }) => !isTest);
    const isAllowed = (imported: string) =>
      imported.startsWith("packages/kit/") || /^@freehold\/contract(\/|$)/.test(imported) || (!isOurs(imported) && !imported.includes("services/"));
    expect(wrong(kit, isAllowed, "the kit is plumbing under all services")).toEqual([]);
  });

  test("the kit speaks no word of the domain", () => {
    // A lease is a lock with an end there.
    const words = /\b(payments?|tenants?|charges?|rents?|vendors?|invoices?|journals?)\b/i;
    const said = inside("packages/kit").flatMap(({ path, text, isTest }) =>
      isTest ? [] : text.split("\n").flatMap((line, at) => (words.test(line) ? [`${path}:${at + 1} says ${words.exec(line)![0]}: ${line.trim()}`] : [])),
    );
    expect(said).toEqual([]);
  });

  test("a service imports the contract, the kit, the questions between services, and itself", () => {
    const isAllowed = (imported: string, source: Source) =>
      isOurs(imported)
        ? /^@freehold\/(contract|domain|kit|proto)(\/|$)/.test(imported)
        : imported.includes("/") && !imported.startsWith("@") && /^(services|gateway|packages|deploy|test)\//.test(imported)
          ? imported.startsWith(`${packageOf(source)}/`)
          : true;
    expect(
      wrong(
        inside("services").filter(({ isTest }) => !isTest),
        isAllowed,
        "services share nothing but contract, domain, kit and proto",
      ),
    ).toEqual([]);
  });

  test("a service's tests import no other service", () => {
    const isAllowed = (imported: string, source: Source) => !imported.startsWith("services/") || imported.startsWith(`${packageOf(source)}/`);
    expect(
      wrong(
        inside("services").filter(({ isTest }) => isTest),
        isAllowed,
        "services are tested through what they promise",
      ),
    ).toEqual([]);
  });

  test("the gateway imports the contract and the kit, no service and no question between services", () => {
    const isAllowed = (imported: string) =>
      isOurs(imported) ? /^@freehold\/(contract|kit)(\/|$)/.test(imported) : !/^(services|packages|deploy|test|proto)\//.test(imported);
    expect(
      wrong(
        inside("gateway").filter(({ isTest }) => !isTest),
        isAllowed,
        "the gateway knows no domain",
      ),
    ).toEqual([]);
  });

  test("a rule imports no transport and no storage, and asks no clock", () => {
    const rules = all.filter(({ path }) => path.endsWith(".rules.ts"));
    const forbidden = /^(express|pg|@mikro-orm\/|@grpc\/|@nats-io\/|@freehold\/kit\/(db|http|rpc|events)\/|@freehold\/proto)/;
    const isAllowed = (imported: string) => !forbidden.test(imported) && !nodesOwn.test(imported) && !/\.(entity|queries|routes|grpc)\.ts$/.test(imported);
    expect(rules.length).toBeGreaterThan(5);
    expect(wrong(rules, isAllowed, "a rule is pure", "needs")).toEqual([]);
    expect(rules.filter(({ text }) => /Date\.now\(|new Date\(\)/.test(text)).map(({ path }) => `${path} asks the clock; give it the day.`)).toEqual([]);
  });
});

describe("what stands where", () => {
  test("a response is written by the kit's http room and by the gateway alone", () => {
    // The last is no JSON: a ZIP goes out as it is made.
    const allowed =
      /^(gateway\/|packages\/kit\/src\/(http\/(respond|csv|download)|runtime\/(service|lifecycle))\.ts$|services\/imports\/src\/import-bundles\/import-bundles\.routes\.ts$)/;
    const answering = /\bres\.(status|json|send)\(|\.statusCode\s*=[^=]/;
    const found = sources.filter(({ path, text }) => !allowed.test(path) && answering.test(text));
    expect(found.map(({ path }) => `${path} writes an answer itself; return it, or throw an ApiError.`)).toEqual([]);
  });

  test("a query that is not about an organization stands in few places", () => {
    // The pool and the ORM are the kit's; services are given what is scoped.
    const found = inside("services").filter(
      ({ path, text, isTest }) => !isTest && !/\/migrations\//.test(path) && /\bfrom "(pg|@mikro-orm\/postgresql)"/.test(text),
    );
    expect(found.map(({ path }) => `${path} opens its own way to the database; use OrgDb.`)).toEqual([]);
  });

  test("files are short: the median at most 60 lines, none above 350", () => {
    const lengths = sources.map(({ lines }) => lines).toSorted((one, other) => one - other);
    const median = lengths[Math.floor(lengths.length / 2)]!;
    const ninetieth = lengths[Math.floor(lengths.length * 0.9)]!;
    process.stdout.write(`${sources.length} source files: median ${median} lines, 90th percentile ${ninetieth}, longest ${lengths.at(-1)}\n`);
    expect(median).toBeLessThanOrEqual(60);
    expect(sources.filter(({ lines }) => lines > 350).map(({ path, lines }) => `${path} has ${lines} lines; split it.`)).toEqual([]);
  });

  test("no test is left out, and nothing is left to do", () => {
    const left = all.flatMap(({ path, text, isTest }) => {
      const leftOut = isTest && /\b(?:test|it|describe)\.(?:only|skip|todo)\b|\b(?:xit|xtest|fit|fdescribe)\(/.exec(text);
      const undone = /\b(?:T[O]DO|F[I]XME|X[X]X)\b/.exec(text);
      return [leftOut, undone].flatMap((match) => (match ? [`${path} says ${match[0]}.`] : []));
    });
    expect(left).toEqual([]);
  });

  test("no file speaks of the place it was written in", () => {
    const found = all.filter(({ text }) => /\/work\/|\/home\/\w+\/|\/Users\/\w+\//.test(text.replaceAll(/new RegExp\(.*|\/\\\/work.*/g, "")));
    expect(found.map(({ path }) => relative(".", path))).toEqual([]);
  });
});
