/** OpenAPI document: valid, complete and consistent with the contract. */
import { describe, expect, test } from "@jest/globals";
import { operations } from "@freehold/contract";
import { errorStatusesOf, pathParameterNames } from "@freehold/contract/operation";
import { z } from "zod";
import { Client } from "./support/client.ts";
import { running } from "./support/running.ts";
import { sweep } from "./support/sweeping.ts";

const { baseUrl } = running();
const anonymous = new Client(baseUrl);

interface Schema {
  [key: string]: unknown;
  $ref?: string;
  type?: unknown;
}
interface Described {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  deprecated?: boolean;
  security: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, { description: string; content: Record<string, { schema: Schema; example?: unknown }> }>;
}
interface Document {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, object> };
}

const served = await anonymous.raw("GET", "/api/openapi.json");
const document = (await served.json()) as Document;
const described = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, method: method.toUpperCase(), operation })),
);
const byName = Object.fromEntries(described.map((each) => [each.name, each.operation]));

/** Returns every schema object in a part of the document, with its path. */
function schemasIn(value: unknown, at: string): { at: string; schema: Schema }[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => schemasIn(each, `${at}/${index}`));
  if (value === null || typeof value !== "object") return [];
  const within = Object.entries(value).flatMap(([key, each]) => {
    if (key === "properties") return Object.entries(each as object).flatMap(([name, property]) => schemasIn(property, `${at}/properties/${name}`).concat());
    return ["enum", "default", "example", "required", "description"].includes(key) ? [] : schemasIn(each, `${at}/${key}`);
  });
  return [{ at, schema: value as Schema }, ...within];
}
const schemas = [
  ...Object.entries(document.components.schemas).flatMap(([name, schema]) => schemasIn(schema, `components/schemas/${name}`)),
  ...described.flatMap(({ name, operation }) => [
    ...(operation.parameters ?? []).flatMap((parameter) => schemasIn(parameter.schema, `${name} ${parameter.name}`)),
    ...Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => schemasIn(schema, `${name} body`)),
    ...Object.entries(operation.responses).flatMap(([status, { content }]) =>
      Object.values(content).flatMap(({ schema }) => schemasIn(schema, `${name} ${status}`)),
    ),
  ]),
];

/** The fields of object schemas. */
const membersIn = (all: typeof schemas) =>
  all.flatMap(({ at, schema }) =>
    schema.type === "object" ? Object.entries(schema["properties"] ?? {}).map(([name, member]) => ({ at: `${at}.${name}`, schema: member as Schema })) : [],
  );

/** Returns true if a schema or the component it refers to has a description. */
const isDescribed = (schema: object): boolean => {
  const { $ref, description } = schema as { $ref?: string; description?: string };
  return Boolean(description ?? ($ref && document.components.schemas[$ref.split("/").at(-1)!]?.["description"]));
};

/** Keywords of a schema in OpenAPI 3.0.3. */
const keywords = new Set(
  "$ref title multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems maxProperties minProperties required enum type allOf oneOf anyOf not items properties additionalProperties description format default nullable discriminator readOnly writeOnly xml externalDocs example deprecated".split(
    " ",
  ),
);

describe("the OpenAPI document", () => {
  test("is served without a token as OpenAPI 3.0.3, version 0.1.0", () => {
    expect([served.status, served.headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    expect([document.openapi, document.info.version, document.info.title]).toEqual(["3.0.3", "0.1.0", "Freehold"]);
    expect(document.servers).toEqual([{ url: baseUrl }]);
  });

  test("is valid: every schema conforms to 3.0.3, and every reference resolves", () => {
    expect(schemas.length).toBeGreaterThan(500);
    const unknown = schemas.flatMap(({ at, schema }) =>
      Object.keys(schema).flatMap((key) => (keywords.has(key) || key.startsWith("x-") ? [] : [`${at}: ${key}`])),
    );
    expect(unknown).toEqual([]);
    const types = ["string", "number", "integer", "boolean", "array", "object", undefined];
    expect(schemas.filter(({ schema }) => !types.includes(schema.type as string)).map(({ at }) => at)).toEqual([]);
    expect(schemas.filter(({ schema }) => schema.type === "array" && !schema["items"]).map(({ at }) => at)).toEqual([]);
    expect(schemas.filter(({ schema }) => schema["nullable"] && schema.type === undefined).map(({ at }) => at)).toEqual([]);
    const booleans = ["exclusiveMaximum", "exclusiveMinimum", "nullable", "uniqueItems", "deprecated"];
    expect(
      schemas.flatMap(({ at, schema }) => booleans.flatMap((key) => (["undefined", "boolean"].includes(typeof schema[key]) ? [] : [`${at}: ${key}`]))),
    ).toEqual([]);
    expect(schemas.filter(({ schema }) => schema.$ref && Object.keys(schema).length > 1).map(({ at }) => at)).toEqual([]);
    const missing = schemas.flatMap(({ at, schema }) =>
      ((schema["required"] ?? []) as string[]).flatMap((name) => (name in ((schema["properties"] ?? {}) as object) ? [] : [`${at}: ${name}`])),
    );
    expect(missing).toEqual([]);
    const patterns = schemas.flatMap(({ schema }) => (typeof schema["pattern"] === "string" ? [schema["pattern"]] : []));
    for (const pattern of patterns) expect(() => new RegExp(pattern, "u")).not.toThrow();
    const broken = schemas.flatMap(({ at, schema }) => {
      const name = schema.$ref && /^#\/components\/schemas\/([\w.-]+)$/.exec(schema.$ref)?.[1];
      return schema.$ref && !(name && document.components.schemas[name]) ? [`${at}: ${schema.$ref}`] : [];
    });
    expect(broken).toEqual([]);
  });

  test("has every operation of the contract and nothing else", () => {
    expect(described.map(({ name }) => name).toSorted()).toEqual(operations.map(({ operation }) => `${operation.method} ${operation.path}`).toSorted());
    expect(described.map(({ operation }) => operation.operationId).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  });

  sweep("describes each operation, who may call it, and its errors", operations, async ({ id, tag, operation }) => {
    const it = byName[`${operation.method} ${operation.path}`]!;
    expect([it.operationId, it.tags]).toEqual([id, [tag]]);
    expect(document.tags.map(({ name }) => name)).toContain(tag);
    expect(it.summary).toMatch(/^[A-Z].+/);
    expect(it.description).toMatch(/Roles: \w+|Requires no token\./);
    expect(it.security.length > 0).toBe(operation.access !== "public");
    expect(it.security.flatMap((scheme) => Object.keys(scheme)).filter((scheme) => !(scheme in document.components.securitySchemes))).toEqual([]);
    expect(Object.keys(it.responses).toSorted()).toEqual(
      [...(operation.redirects ? ["302"] : operation.contentType === "*/*" ? ["200", "206"] : ["200"]), ...errorStatusesOf(operation).map(String)].toSorted(),
    );
    for (const [status, { description, content }] of Object.entries(it.responses)) {
      expect(description).not.toBe("");
      if (status >= "400") expect(content["application/json"]!.schema).toEqual({ $ref: "#/components/schemas/Error" });
    }
    const inPath = (it.parameters ?? []).filter((parameter) => parameter.in === "path");
    expect(inPath.map(({ name }) => name).toSorted()).toEqual(pathParameterNames(operation.path).toSorted());
    expect(inPath.every(({ required }) => required)).toBe(true);
    expect(it.requestBody !== undefined).toBe(operation.body !== undefined);
    expect(it.deprecated === true).toBe(operation.deprecated !== undefined);
  });

  const inJson = operations.filter(({ id, operation }) => operation.body ?? !(operation.contentType || operation.redirects || id === "streamEvents"));
  sweep("has a valid example of each request body and response", inJson, async ({ operation }) => {
    const { requestBody, responses } = byName[`${operation.method} ${operation.path}`]!;
    expect.hasAssertions();
    const sent = requestBody?.content["application/json"];
    const answered = responses["200"]?.content["application/json"];
    if (sent) expect(operation.body!.safeParse(sent.example).error).toBeUndefined();
    if (answered) expect(z.object(operation.response).safeParse(answered.example).error).toBeUndefined();
  });

  test("describes every tag", () => {
    const bare = (document.tags as { name: string; description?: string }[]).filter(({ name, description }) => !description || description === name);
    expect(bare).toEqual([]);
  });

  test("describes every field and every parameter", () => {
    const parameters = described.flatMap(({ name, operation }) => (operation.parameters ?? []).map((each) => ({ at: `${name} ${each.name}`, schema: each })));
    expect([...membersIn(schemas), ...parameters].filter(({ schema }) => !isDescribed(schema)).map(({ at }) => at)).toEqual([]);
  });

  test("marks the category rollups as deprecated, and nothing else", () => {
    expect(described.filter(({ operation }) => operation.deprecated).map(({ name }) => name)).toEqual(["GET /api/accounting/category-rollups"]);
  });

  test("declares every amount of money as an integer", () => {
    const amounts = schemas.filter(({ at, schema }) => at.endsWith("Cents") && schema.$ref === undefined);
    expect(amounts.length).toBeGreaterThan(50);
    expect(amounts.filter(({ schema }) => schema.type !== "integer").map(({ at }) => at)).toEqual([]);
  });
});

describe("the API", () => {
  const promised = `
    POST /api/auth/signup
    POST /api/auth/login
    POST /api/auth/token
    POST /api/auth/logout
    GET /api/auth/me
    PATCH /api/auth/me
    PATCH /api/auth/me/phone
    PATCH /api/auth/me/consent
    POST /api/auth/me/password
    POST /api/auth/onboarding/complete
    POST /api/auth/password-reset/request
    POST /api/auth/password-reset/confirm
    POST /api/auth/email/confirm
    POST /api/auth/email/resend
    GET /api/auth/sessions
    DELETE /api/auth/sessions/{id}
    GET /api/i/{shortCode}
    GET /api/auth/invites/{token}
    POST /api/auth/invites/{token}/accept
    GET /.well-known/jwks.json
    GET /api/accounts/current
    PATCH /api/accounts/current
    GET /api/accounts/users
    POST /api/accounts/users
    GET /api/accounts/users/{id}
    PATCH /api/accounts/users/{id}
    DELETE /api/accounts/users/{id}
    POST /api/accounts/users/{id}/resend-invite
    GET /api/accounts/current/audit-log
    GET /api/accounts/service-keys
    POST /api/accounts/service-keys
    POST /api/accounts/service-keys/{id}/rotate
    DELETE /api/accounts/service-keys/{id}
    GET /api/properties
    POST /api/properties
    GET /api/properties/{id}
    PATCH /api/properties/{id}
    DELETE /api/properties/{id}
    POST /api/units
    GET /api/units
    GET /api/units/{id}
    PATCH /api/units/{id}
    POST /api/owners
    GET /api/owners
    GET /api/owners/{id}
    DELETE /api/owners/{id}
    POST /api/tenants
    GET /api/tenants
    GET /api/tenants/{id}
    POST /api/vendors
    GET /api/vendors
    GET /api/vendors/{id}
    POST /api/leases
    GET /api/leases
    GET /api/leases/{id}
    POST /api/leases/{id}/activate
    POST /api/leases/{id}/renew
    POST /api/leases/{id}/terminate
    GET /api/leases/{leaseId}/occupants
    POST /api/tenant-invites
    POST /api/tenant-invites/{id}/revoke
    POST /api/notes
    GET /api/notes
    GET /api/accounting/categories
    POST /api/accounting/journal-entries
    GET /api/accounting/journal-entries
    GET /api/accounting/journal-entries/{id}
    POST /api/accounting/journal-entries/{id}/post
    POST /api/accounting/journal-entries/{id}/reverse
    GET /api/accounting/trial-balance
    GET /api/accounting/category-rollups
    POST /api/charges
    GET /api/charges
    GET /api/charges/{id}
    POST /api/charges/{id}/void
    POST /api/charges/post-due
    POST /api/recurring-charges
    GET /api/recurring-charges
    GET /api/recurring-charges/{id}
    POST /api/recurring-charges/{id}/pause
    POST /api/recurring-charges/{id}/resume
    POST /api/payments
    GET /api/payments
    GET /api/payments/{id}
    PUT /api/payments/{id}
    POST /api/payments/{id}/allocate
    POST /api/payments/{id}/reverse
    GET /api/notifications
    GET /api/notifications/{id}
    POST /api/notifications/{id}/read
    GET /api/import-bundles/templates/{provider}
    GET /api/events/stream
    GET /api/health
    GET /api/version`
    .trim()
    .split(/\n\s*/);

  test.each(promised)("has %s", (name) => {
    expect(byName[name]).toBeDefined();
  });
});

describe("the documentation page", () => {
  test("loads all its assets from the same origin", async () => {
    const page = await anonymous.raw("GET", "/api/docs");
    const html = await page.text();
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
    const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => new URL(match[1]!, `${baseUrl}/api/docs`));
    expect(parts.length).toBeGreaterThanOrEqual(3);
    for (const part of parts) {
      expect(part.origin).toBe(baseUrl);
      const answer = await anonymous.raw("GET", part.pathname);
      expect([part.pathname, answer.status, (await answer.text()).length > 0]).toEqual([part.pathname, 200, true]);
      expect(answer.headers.get("content-type")).toMatch(part.pathname.endsWith(".css") ? /^text\/css/ : /^text\/javascript/);
    }
    const start = await anonymous.raw("GET", "/api/docs/start.js");
    expect(await start.text()).toContain('"/api/openapi.json"');
  });

  test("has an llms.txt index of all operations", async () => {
    const index = await (await anonymous.raw("GET", "/llms.txt")).text();
    for (const { id } of operations) expect(index).toContain(`(${id})`);
  });
});
