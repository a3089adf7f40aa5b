/** Checks of SECURITY.md and the tables of docs/security: the tests that they name exist, their links resolve, and each requirement has a row. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const documents = ["SECURITY.md", ...globSync("docs/security/*.md", { cwd: root }).toSorted()];

/** Levels of the requirements of ASVS 5.0.0 by chapter: a group of characters per section, a character per requirement; `-` is level 3. */
const asvsLevels: Record<number, string> = {
  1: "22 111112222- 11222222222- 222 12-",
  2: "122 112 1222- 2-",
  3: "- 11- 1222- 112222-- 11122--- - 22---",
  4: "122-- 2---- 22 1222",
  5: "2 112--- 11- 222",
  6: "122 111111112222 1122---- 1122-- 22222--- 222- -- 2222",
  7: "222 1111 22 11222 22- 22",
  8: "12-- 112- 1-- 2-",
  9: "111 1222",
  10: "22 22- 2222- 11111222222----- 22222 22 222",
  11: "22-- 222-- 112-- 1222 2- 2- --",
  12: "122-- 11 2222-",
  13: "2--- 22222- 22-- 12222--",
  14: "22 1222---- 122",
  15: "122-- 122-- 1222222 ----",
  16: "2 22222 2222 222 222-",
  17: "2- 2222---- 22",
};
const requirements = Object.entries(asvsLevels).flatMap(([chapter, sections]) =>
  sections.split(" ").flatMap((levels, section) =>
    levels
      .split("")
      .map((level, index) => ({ number: `${chapter}.${section + 1}.${index + 1}`, level }))
      .filter(({ level }) => level !== "-"),
  ),
);

interface Link {
  document: string;
  text: string;
  /** Path from the root of the repository. */
  path: string;
  anchor: string | undefined;
}

/** Returns the links of a document to files and headings of the repository. */
const linksOf = (document: string): Link[] =>
  [...read(document).matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)].flatMap(([, text, target]) => {
    if (/^https?:/.test(target!)) return [];
    const [file, anchor] = target!.split("#") as [string, string?];
    return [{ document, text: text!, path: file === "" ? document : posix.join(dirname(document), file), anchor }];
  });

/** Returns the anchors of a document's headings. */
const anchorsOf = (document: string): string[] =>
  [...read(document).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );

/** Returns what is wrong with a link, if anything. A link to a test has the path of the test as its text. */
function linkProblem({ text, path, anchor }: Link): string | undefined {
  if (!existsSync(join(root, path))) return "does not exist";
  if (anchor !== undefined && !anchorsOf(path).includes(anchor)) return `has no heading #${anchor}`;
  return path.endsWith(".test.ts") && path !== "test/security-tables.test.ts" && text !== `\`${path}\``
    ? "is a test, so the text of the link must be its path"
    : undefined;
}

interface NamedTest {
  document: string;
  path: string;
  name: string;
}

/** Returns the tests that a document names: the link to the file, then the names in quotes, separated by commas. */
const testsNamedIn = (document: string): NamedTest[] =>
  [...read(document).matchAll(/\[`([^`]+\.test\.ts)`\]\([^)]+\)((?: "[^"]+",?)*)/g)].flatMap(([, path, names]) =>
    [...names!.matchAll(/"([^"]+)"/g)].map(([, name]) => ({ document, path: path!, name: name! })),
  );

/** Returns true if a file calls a function with the name as its first argument, such as `test`, `test.each(…)`, `describe` or `sweep`. */
const hasTest = ({ path, name }: NamedTest): boolean =>
  existsSync(join(root, path)) && ['"', "`"].some((quote) => new RegExp(`\\(\\s*${quote}${RegExp.escape(name)}${quote},`).test(read(path)));

interface Row {
  number: string;
  level: string;
  requirement: string;
  status: string;
  explanation: string;
}

const asvsRows = (): Row[] =>
  [...read("docs/security/asvs.md").matchAll(/^\| (\d+\.\d+\.\d+) \| (\d) \| (.+?) \| (.+?) \| (.*?) ?\|$/gm)].map(
    ([, number, level, requirement, status, explanation]) => ({
      number: number!,
      level: level!,
      requirement: requirement!,
      status: status!,
      explanation: explanation!,
    }),
  );

/** Returns the problem of a row, or undefined. Each row needs an explanation; that of a met requirement has a link or `No test`. */
function rowProblem({ status, explanation }: Row): string | undefined {
  if (!["met", "met in part", "not met", "not applicable"].includes(status)) return `has the unknown status ${status}`;
  if (explanation === "") return "has no explanation";
  return status === "met" && !/\]\(|\bNo test\b/.test(explanation) ? "is met without a test, a file or a document" : undefined;
}

/** Returns the count of requirements for each status, such as `met 159`. */
const countsOf = (rows: readonly Row[]): string[] =>
  Object.entries(Object.groupBy(rows, ({ status }) => status)).map(([status, group]) => `${status} ${group!.length}`);
/** Returns the counts that the table at the beginning of the document states. */
const statedCounts = (): string[] =>
  [...read("docs/security/asvs.md").matchAll(/^\| ([a-z ]+) \| .* \| (\d+) \|$/gm)].map(([, status, count]) => `${status} ${count}`);

test("the security documents name existing tests, have working links, and have one row for each requirement of ASVS levels 1 and 2", () => {
  const rows = asvsRows();
  const named = documents.flatMap(testsNamedIn);
  expect([requirements.length, documents.length, named.length > 300, rows.length > 250]).toEqual([253, 5, true, true]);
  const rowsByNumber = Map.groupBy(rows, ({ number }) => number);
  const known = new Set(requirements.map(({ number }) => number));
  expect([
    ...named.filter((each) => !hasTest(each)).map(({ document, path, name }) => `${document}: ${path} has no test "${name}".`),
    ...documents.flatMap(linksOf).flatMap((link) => {
      const problem = linkProblem(link);
      return problem ? [`${link.document}: ${link.path} ${problem}.`] : [];
    }),
    ...requirements.flatMap(({ number, level }) => {
      const [row, ...others] = rowsByNumber.get(number) ?? [];
      if (!row) return [`ASVS ${number} has no row.`];
      return [...others.map(() => `ASVS ${number} has another row.`), ...(row.level === level ? [] : [`ASVS ${number} is of level ${level}.`])];
    }),
    ...rows.filter(({ number }) => !known.has(number)).map(({ number }) => `ASVS ${number} is no requirement of levels 1 and 2.`),
    ...rows.flatMap((row) => {
      const problem = rowProblem(row);
      return problem ? [`ASVS ${row.number} ${problem}.`] : [];
    }),
  ]).toEqual([]);
  expect(statedCounts().toSorted()).toEqual(countsOf(rows).toSorted());
});
