/**
 * Short run of `npm run fuzz`: valid and invalid requests generated from the OpenAPI document, for every operation.
 * `FUZZ_SEED=… npm test test/fuzz.test.ts` tries another run.
 */
import { describe, expect, test } from "@jest/globals";
import { curlLine } from "./fuzz/curl.ts";
import { createOrganizations } from "./fuzz/organizations.ts";
import { fetchDocument, parseDocument } from "./fuzz/document/document.ts";
import { fuzz } from "./fuzz/fuzz.ts";
import { boxes, defects, startTestServer, type Defect } from "./fuzz/test-server.ts";
import { isFullProof, sized } from "./support/proof.ts";
import { running } from "./support/running.ts";

const SEED = 20_261_121;
const REQUESTS = sized(1_500, 20_000);
const { baseUrl } = running();

describe("any request", () => {
  test("gets a response that conforms to the OpenAPI document, in every operation", async () => {
    const seed = Number(process.env["FUZZ_SEED"] ?? SEED);
    const [document, callers] = await Promise.all([fetchDocument(baseUrl), createOrganizations(baseUrl, 4)]);
    const { line, violations, tally, neverAccepted } = await fuzz({ baseUrl, document, callers, requests: REQUESTS, seed });
    process.stdout.write(`${line}\n`);
    expect(violations).toEqual([]);
    expect(tally.requests).toBeGreaterThanOrEqual(REQUESTS);
    expect(document.operations.filter(({ id }) => !tally.statuses.has(id)).map(({ id }) => id)).toEqual([]);
    if (isFullProof) expect(neverAccepted.length).toBeLessThan(document.operations.length / 4);
  }, 600_000);
});

describe("the fuzzer", () => {
  const fuzzTestServer = async (defect?: Defect) => {
    const { baseUrl: testServer, close } = await startTestServer(defect);
    const callers = ["one", "two"].map((name) => ({ admin: `${name}.admin`, staff: `${name}.staff` }));
    try {
      const { tally, violations } = await fuzz({ baseUrl: testServer, document: parseDocument(boxes), callers, requests: 800, seed: SEED });
      return { checks: [...tally.violations.values()].map(({ check }) => check), violations };
    } finally {
      close();
    }
  };

  test("reports nothing for a correct server", async () => {
    expect((await fuzzTestServer()).violations).toEqual([]);
  });

  test.each(defects)("reports the defect %s", async (defect) => {
    expect((await fuzzTestServer(defect)).checks).toContain(defect);
  });

  test("reports a violation as a minimal curl command", async () => {
    const [violation] = (await fuzzTestServer("serverError")).violations.filter((each) => each.includes("(serverError)"));
    const [sentence, curl] = violation!.split("\n  ");
    expect(sentence).toBe('createBox returned 500 instead of a documented status: {"message":"Internal error."} (serverError)');
    expect(curl).toMatch(
      /^curl -sgi 'http:\/\/127\.0\.0\.1:\d+\/boxes' -H 'Authorization: Bearer '"\$TOKEN"'' -H 'Content-Type: application\/json' --data-binary '\{"label":"[^"]{21,40}"\}'$/,
    );
  });

  test("replaces tokens by variables in the curl command, and escapes quotes and bytes", () => {
    const operation = parseDocument(boxes).operations.find(({ id }) => id === "createBox")!;
    const request = { operation, method: "POST", path: {}, query: { q: "it's" }, headers: {}, raw: Buffer.from([0x27, 0xff]), token: "secret", role: "staff" };
    expect(curlLine("http://here", request)).toBe(
      `curl -sgi 'http://here/boxes?q=it%27s' -H 'Authorization: Bearer '"$STAFF_TOKEN"'' -H 'Content-Type: application/json' --data-binary $'\\x27\\xff'`,
    );
  });
});
