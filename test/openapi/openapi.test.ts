/** OpenAPI document and its pages: valid, complete and consistent with the contract. */
import { describe, expect, test } from "@jest/globals";
import { operations } from "@freehold/contract";
import { errorStatusesOf, pathParameterNames } from "@freehold/contract/operation";
import { z } from "zod";
import { Client } from "../support/client.ts";
import { anOffice } from "../support/office.ts";
import { parseDocument, type OpenApiDocument as ParsedDocument, type Schema as ValidatedSchema } from "../fuzz/document/document.ts";
import { createValidator } from "../fuzz/document/validate.ts";
import { running } from "../support/running.ts";
import { sweep } from "../sweeps/sweeping.ts";
import {
  document,
  documentResponse,
  documentedOperations,
  isDescribed,
  keywords,
  membersIn,
  operationsByName,
  responsesOf,
  schemas,
  type DocumentedOperation,
  type DocumentedResponse,
  type Media,
  type Schema,
} from "./served-document.ts";

const { baseUrl } = running();
const anonymous = new Client(baseUrl);

describe("the OpenAPI document", () => {
  test("is served without a token as OpenAPI 3.0.3, version 0.1.0", () => {
    expect([documentResponse.status, documentResponse.headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    expect([document.openapi, document.info.version, document.info.title]).toEqual(["3.0.3", "0.1.0", "Freehold"]);
  });

  test.each([
    ["http://localhost:8080/api/openapi.json", "http://localhost:8080/api/health"],
    ["http://10.0.0.5/api/openapi.json", "http://10.0.0.5/api/health"],
    ["https://example.com/rentals/api/openapi.json", "https://example.com/rentals/api/health"],
  ])("read from %s, names the operations of the same server, below the same prefix", (documentUrl, healthUrl) => {
    const [server, ...others] = document.servers;
    expect(others).toEqual([]);
    expect(server!.url).not.toMatch(/.\/$/);
    expect(new URL(server!.url, documentUrl).href.replace(/\/$/, "") + "/api/health").toBe(healthUrl);
  });

  test("is valid: every schema conforms to 3.0.3, and every reference resolves", () => {
    expect(schemas.length).toBeGreaterThan(500);
    const unknown = schemas.flatMap(({ path, schema }) =>
      Object.keys(schema).flatMap((key) => (keywords.has(key) || key.startsWith("x-") ? [] : [`${path}: ${key}`])),
    );
    expect(unknown).toEqual([]);
    const types = ["string", "number", "integer", "boolean", "array", "object", undefined];
    expect(schemas.filter(({ schema }) => !types.includes(schema.type as string)).map(({ path }) => path)).toEqual([]);
    expect(schemas.filter(({ schema }) => schema.type === "array" && !schema["items"]).map(({ path }) => path)).toEqual([]);
    expect(schemas.filter(({ schema }) => schema["nullable"] && schema.type === undefined).map(({ path }) => path)).toEqual([]);
    const booleans = ["exclusiveMaximum", "exclusiveMinimum", "nullable", "uniqueItems", "deprecated"];
    expect(
      schemas.flatMap(({ path, schema }) => booleans.flatMap((key) => (["undefined", "boolean"].includes(typeof schema[key]) ? [] : [`${path}: ${key}`]))),
    ).toEqual([]);
    expect(schemas.filter(({ schema }) => schema.$ref && Object.keys(schema).length > 1).map(({ path }) => path)).toEqual([]);
    const missing = schemas.flatMap(({ path, schema }) =>
      ((schema["required"] ?? []) as string[]).flatMap((name) => (name in ((schema["properties"] ?? {}) as object) ? [] : [`${path}: ${name}`])),
    );
    expect(missing).toEqual([]);
    const patterns = schemas.flatMap(({ schema }) => (typeof schema["pattern"] === "string" ? [schema["pattern"]] : []));
    for (const pattern of patterns) expect(() => new RegExp(pattern, "u")).not.toThrow();
    const broken = schemas.flatMap(({ path, schema }) => {
      const name = schema.$ref && /^#\/components\/schemas\/([\w.-]+)$/.exec(schema.$ref)?.[1];
      return schema.$ref && !(name && document.components.schemas[name]) ? [`${path}: ${schema.$ref}`] : [];
    });
    expect(broken).toEqual([]);
  });

  test("has every operation of the contract and nothing else", () => {
    expect(documentedOperations.map(({ name }) => name).toSorted()).toEqual(
      operations.map(({ operation }) => `${operation.method} ${operation.path}`).toSorted(),
    );
    expect(documentedOperations.map(({ operation }) => operation.operationId).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  });

  sweep("describes each operation, its roles, its parameters and its responses", operations, async ({ id, tag, operation }) => {
    const documented = operationsByName[`${operation.method} ${operation.path}`]!;
    expect([documented.operationId, documented.tags]).toEqual([id, [tag]]);
    expect(document.tags.map(({ name }) => name)).toContain(tag);
    expect(documented.summary).toMatch(/^[A-Z].+/);
    expect(documented.description).toMatch(/Roles: \w+|Requires no token\./);
    expect(documented.security.length > 0).toBe(operation.access !== "public");
    expect(documented.security.flatMap((scheme) => Object.keys(scheme)).filter((scheme) => !(scheme in document.components.securitySchemes))).toEqual([]);
    expect(Object.keys(documented.responses).toSorted()).toEqual(
      [
        ...(operation.acceptsUnmatched ? ["202"] : []),
        ...(operation.redirects ? ["302"] : operation.contentType === "*/*" ? ["200", "206"] : ["200"]),
        ...errorStatusesOf(operation).map(String),
      ].toSorted(),
    );
    for (const [status, { description, content }] of responsesOf(documented)) {
      expect(description).not.toBe("");
      const isReport = status === "503" && operation.reportsUnavailability;
      if (status >= "400" && !isReport) expect(content["application/json"]!.schema).toEqual({ $ref: "#/components/schemas/ApiError" });
    }
    const pathParameters = (documented.parameters ?? []).filter((parameter) => parameter.in === "path");
    expect(pathParameters.map(({ name }) => name).toSorted()).toEqual(pathParameterNames(operation.path).toSorted());
    expect(pathParameters.every(({ required }) => required)).toBe(true);
    expect(documented.requestBody !== undefined).toBe(operation.body !== undefined || operation.webhook !== undefined);
    expect(documented.deprecated === true).toBe(operation.deprecated !== undefined);
  });

  const validator = createValidator(parseDocument(document as unknown as ParsedDocument));
  const examplesOf = ({ example, examples = {} }: Media): unknown[] => [example, ...Object.values(examples).map(({ value }) => value)].filter(Boolean);
  const mediaOf = (operation: DocumentedOperation): { kind: "requests" | "responses"; status: string; type: string; media: Media }[] => [
    ...Object.entries(operation.requestBody?.content ?? {}).map(([type, media]) => ({ kind: "requests" as const, status: "", type, media })),
    ...responsesOf(operation).flatMap(([status, { content }]) =>
      Object.entries(content).map(([type, media]) => ({ kind: "responses" as const, status, type, media })),
    ),
  ];

  sweep("has an example of each request body and each JSON response, and every example is valid against its schema", operations, async ({ operation }) => {
    expect.hasAssertions();
    for (const { kind, status, type, media } of mediaOf(operationsByName[`${operation.method} ${operation.path}`]!)) {
      const examples = examplesOf(media);
      if (kind === "requests" || (type === "application/json" && status !== "503")) expect([status, type, examples]).not.toEqual([status, type, []]);
      for (const example of examples)
        expect([status, type, validator.findSchemaError(kind, media.schema as ValidatedSchema, example)]).toEqual([status, type, undefined]);
    }
  });

  const jsonOperations = operations.filter(({ id, operation }) => operation.body ?? !(operation.contentType || operation.redirects || id === "streamEvents"));
  sweep("has examples that the operations themselves accept and send", jsonOperations, async ({ operation }) => {
    const { requestBody, responses } = operationsByName[`${operation.method} ${operation.path}`]!;
    expect.hasAssertions();
    const requestContent = requestBody?.content["application/json"];
    const responseContent = (responses["200"] as DocumentedResponse | undefined)?.content["application/json"];
    if (requestContent && operation.body) expect(operation.body.safeParse(requestContent.example).error).toBeUndefined();
    if (responseContent) expect(z.object(operation.response).safeParse(responseContent.example).error).toBeUndefined();
  });

  test("has examples of one tenancy: a lease and its payment have the same IDs, the lease ends after it starts, and no text is a filler", () => {
    const exampleOf = (name: string) => (operationsByName[name]!.responses["200"] as DocumentedResponse).content["application/json"]!.example;
    const { lease } = exampleOf("GET /api/leases/{id}") as { lease: Record<string, string | null> };
    const { payment } = exampleOf("GET /api/payments/{id}") as { payment: Record<string, unknown> };
    expect([payment["leaseId"], payment["tenantId"]]).toEqual([lease["id"], lease["tenantId"]]);
    expect(new Set([lease["id"], lease["tenantId"], lease["unitId"], lease["propertyId"]]).size).toBe(4);
    expect(lease["endDate"]! > lease["startDate"]!).toBe(true);
    expect([lease["status"], lease["deletedAt"], lease["terminationDate"]]).toEqual(["active", null, null]);
    expect(JSON.stringify(documentedOperations)).not.toContain("Some text");
  });

  test("has in the 403 of an operation the messages for another role and for a service key without its scope", async () => {
    const examples = (operationsByName["POST /api/leases"]!.responses["403"] as DocumentedResponse).content["application/json"]!.examples!;
    const office = await anOffice();
    const staff = await office.colleague("staff");
    const { serviceKey, clientSecret } = await office.call("createServiceKey", { body: { name: "Sync", role: "manager", scopes: ["ledger:write"] } });
    const grant = { grantType: "client_credentials" as const, clientId: serviceKey.clientId, clientSecret };
    const key = new Client(baseUrl, (await anonymous.call("refreshToken", { body: grant })).accessToken);
    const refusals = await Promise.all([staff, key].map((caller) => caller.attempt("createLease")));
    expect(refusals.map(({ status, text }) => [status, JSON.parse(text) as unknown])).toEqual([
      [403, examples["role"]!.value],
      [403, examples["scope"]!.value],
    ]);
  });

  test("describes every tag", () => {
    const undescribed = (document.tags as { name: string; description?: string }[]).filter(({ name, description }) => !description || description === name);
    expect(undescribed).toEqual([]);
  });

  test("describes every field and every parameter", () => {
    const parameters = documentedOperations.flatMap(({ name, operation }) =>
      (operation.parameters ?? []).map((each) => ({ path: `${name} ${each.name}`, schema: each })),
    );
    expect([...membersIn(schemas), ...parameters].filter(({ schema }) => !isDescribed(schema)).map(({ path }) => path)).toEqual([]);
  });

  test("marks the category rollups as deprecated, and nothing else", () => {
    expect(documentedOperations.filter(({ operation }) => operation.deprecated).map(({ name }) => name)).toEqual(["GET /api/accounting/category-rollups"]);
  });

  test("declares every amount of money, and every other integer above 32 bits, as an integer of 64 bits; the others have 32", () => {
    const amounts = schemas
      .filter(({ path, schema }) => path.endsWith("Cents") && schema.$ref === undefined)
      .map(({ path, schema }) => ({ path, schema: (schema.type === "array" ? schema["items"] : schema) as Schema }));
    expect(amounts.length).toBeGreaterThan(50);
    const large = schemas.filter(({ schema }) => schema.type === "integer" && !((schema["maximum"] as number) < 2 ** 31));
    expect([...amounts, ...large].filter(({ schema }) => schema.type !== "integer" || schema["format"] !== "int64").map(({ path }) => path)).toEqual([]);
    expect(schemas.filter(({ schema }) => schema.type === "integer" && !/^int(32|64)$/.test(String(schema["format"]))).map(({ path }) => path)).toEqual([]);
  });
});

describe("the documentation page", () => {
  test("loads all its assets from the same origin", async () => {
    const page = await anonymous.raw("GET", "/api/docs");
    const html = await page.text();
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
    const assets = [...html.matchAll(/<(?:script|link)[^>]* (?:src|href)="(?!data:)([^"]+)"/g)].map((match) => new URL(match[1]!, `${baseUrl}/api/docs`));
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const asset of assets) {
      expect(asset.origin).toBe(baseUrl);
      const response = await anonymous.raw("GET", asset.pathname);
      expect([asset.pathname, response.status, (await response.text()).length > 0]).toEqual([asset.pathname, 200, true]);
      expect(response.headers.get("content-type")).toMatch(asset.pathname.endsWith(".css") ? /^text\/css/ : /^text\/javascript/);
    }
    const script = await anonymous.raw("GET", "/api/docs/reference.js");
    expect(await script.text()).toContain('new URL("openapi.json", location.href)');
  });

  test("has an llms.txt index of all operations", async () => {
    const index = await (await anonymous.raw("GET", "/llms.txt")).text();
    for (const { id } of operations) expect(index).toContain(`(${id})`);
  });
});
