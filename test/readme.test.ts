/** Programs that the README and the guides print, and the demo that they run against. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { errorCodes } from "@freehold/contract/errors";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { seedDemo } from "../deploy/demo.ts";
import { demoLogins, demoPassword } from "../gateway/src/pages/demo-logins.ts";
import { Client } from "./support/client.ts";
import { printedPrograms } from "./support/printed-programs.ts";
import { running } from "./support/running.ts";

const { baseUrl } = running();
const root = new URL("../", import.meta.url);
beforeAll(() => seedDemo(baseUrl));

describe("the README's quickstart", () => {
  const quickstart = printedPrograms(new URL("README.md", root), baseUrl);
  const expectedEvent = quickstart.outputPattern("quickstart: output");
  afterAll(() => quickstart.remove());

  test.each([
    ["a bash that has curl and jq", "bash"],
    ["Node", "Node"],
    ["Python", "Python"],
  ])("runs in %s", async (_, block) => {
    expect(await quickstart.run(`quickstart: ${block}`)).toMatch(expectedEvent);
  });
});

describe("the guides", () => {
  const guides = Object.fromEntries(
    ["import-your-portfolio", "authentication", "errors", "events"].map((name) => [name, printedPrograms(new URL(`docs/guides/${name}.md`, root), baseUrl)]),
  );
  afterAll(() => Object.values(guides).forEach((guide) => guide.remove()));

  test.each([
    ["import-your-portfolio", "import in bash", "import's output"],
    ["authentication", "people in bash", "people's output"],
    ["authentication", "people in Node", "people's output"],
    ["authentication", "keys in bash", "keys' output"],
    ["errors", "error in bash", "error's output"],
    ["events", "stream in bash", "stream's output"],
  ])("%s: the program “%s” prints what the guide says", async (name, program, output) => {
    const guide = guides[name]!;
    expect(await guide.run(`example: ${program}`)).toMatch(guide.outputPattern(`example: ${output}`));
  });

  test("errors: a request that is repeated with its idempotency key takes effect once, and another one with the key is refused", async () => {
    expect(await guides["errors"]!.run("example: retries in Node")).toBe("recorded once\n409 idempotency_key_reused");
  });

  test("events: the client in Node receives an event of the type that it requests", async () => {
    expect(await guides["events"]!.run("example: stream in Node")).toBe("vendor.created of a vendor");
  });

  test("errors: the table has one row for each code, in the order of the contract, and marks those that no operation returns", () => {
    const text = readFileSync(new URL("docs/guides/errors.md", root), "utf8");
    const rows = [...text.matchAll(/^\| [\d, ]+ \| `(\w+)`( †)? \|/gm)].map(([, code, mark]) => ({ code: code!, isUnused: mark !== undefined }));
    expect(rows.map(({ code }) => code)).toEqual([...errorCodes]);
    const sources = globSync("{gateway,services/*,packages/kit}/src/**/*.ts", { cwd: fileURLToPath(root) }).filter((file) => !file.endsWith(".test.ts"));
    const code = sources.map((file) => readFileSync(new URL(file, root), "utf8")).join("\n");
    expect(rows.filter(({ isUnused, code: name }) => isUnused === code.includes(`"${name}"`))).toEqual([]);
  });

  test("are served as text with the address of the system, and llms.txt lists them beside the reference", async () => {
    const anonymous = new Client(baseUrl);
    const index = await (await anonymous.raw("GET", "/llms.txt")).text();
    const links = [...index.matchAll(/^- \[.+?\]\((.+?)\)/gm)].map(([, url]) => url!.replace(/^https?:\/\/[^/]+/, ""));
    const expected = [
      "/api/openapi.json",
      "/api/docs",
      "/api/docs/events.md",
      ...["import-your-portfolio", "authentication", "errors", "events", "typed-clients", "webhooks"].map((name) => `/api/docs/guides/${name}.md`),
    ];
    expect(links).toEqual(expect.arrayContaining(expected));
    for (const link of links) expect([link, (await anonymous.raw("GET", link)).status]).toEqual([link, 200]);
    const guide = await anonymous.raw("GET", "/api/docs/guides/errors.md");
    expect(guide.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(await guide.text()).not.toContain("127.0.0.1:8080");
  });
});

describe("the demo", () => {
  test("has an admin with a confirmed e-mail address, so that it can invite any number of people", async () => {
    const { user } = await new Client(baseUrl).call("login", { body: { email: demoLogins[0]!.email, password: demoPassword } });
    expect(user.emailConfirmedAt).not.toBeNull();
  });

  test.each(demoLogins)("lets the $role sign in", async ({ role, email }) => {
    const { user } = await new Client(baseUrl).call("login", { body: { email, password: demoPassword } });
    expect(user.role).toBe(role);
  });
});
