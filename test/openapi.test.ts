/** OpenAPI document: valid, complete and consistent with the contract. */
import { describe, expect, test } from "@jest/globals";
import { operations } from "@freehold/contract";
import { errorStatusesOf, pathParameterNames } from "@freehold/contract/operation";
import { z } from "zod";
import { Client } from "./support/client.ts";
import { anEmail, anOffice } from "./support/office.ts";
import { parseDocument, type OpenApiDocument as ParsedDocument, type Schema as ValidatedSchema } from "./fuzz/document/document.ts";
import { createValidator } from "./fuzz/document/validate.ts";
import { running } from "./support/running.ts";
import { sweep } from "./sweeps/sweeping.ts";

const { baseUrl } = running();
const anonymous = new Client(baseUrl);

interface Schema {
  [key: string]: unknown;
  $ref?: string;
  type?: unknown;
  description?: unknown;
}
interface DocumentedOperation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  deprecated?: boolean;
  security: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, DocumentedResponse | { $ref: string }>;
}
interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { summary: string; value: unknown }>;
}
type Content = Record<string, Media>;
interface DocumentedResponse {
  description: string;
  headers: Record<string, { $ref: string }>;
  content: Content;
}
interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: {
    schemas: Record<string, Schema>;
    securitySchemes: Record<string, object>;
    headers: Record<string, { description: string; schema: Schema }>;
    responses: Record<string, DocumentedResponse>;
  };
}

const documentResponse = await anonymous.raw("GET", "/api/openapi.json");
const document = (await documentResponse.json()) as OpenApiDocument;
const documentedOperations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, method: method.toUpperCase(), operation })),
);
/** Returns the responses of an operation by status, those of errors from their components. */
const responsesOf = ({ responses }: DocumentedOperation): [status: string, response: DocumentedResponse][] =>
  Object.entries(responses).map(([status, response]) => [
    status,
    "$ref" in response ? document.components.responses[response.$ref.replace("#/components/responses/", "")]! : response,
  ]);
const operationsByName = Object.fromEntries(documentedOperations.map((each) => [each.name, each.operation]));

/** Returns every schema object in a part of the document, with its path. */
function schemasIn(value: unknown, path: string): { path: string; schema: Schema }[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => schemasIn(each, `${path}/${index}`));
  if (value === null || typeof value !== "object") return [];
  const nested = Object.entries(value).flatMap(([key, each]) => {
    if (key === "properties") return Object.entries(each as object).flatMap(([name, property]) => schemasIn(property, `${path}/properties/${name}`));
    return ["enum", "default", "example", "required", "description"].includes(key) ? [] : schemasIn(each, `${path}/${key}`);
  });
  return [{ path, schema: value as Schema }, ...nested];
}
const schemas = [
  ...Object.entries(document.components.schemas).flatMap(([name, schema]) => schemasIn(schema, `components/schemas/${name}`)),
  ...documentedOperations.flatMap(({ name, operation }) => [
    ...(operation.parameters ?? []).flatMap((parameter) => schemasIn(parameter.schema, `${name} ${parameter.name}`)),
    ...Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) => schemasIn(schema, `${name} body`)),
    ...responsesOf(operation).flatMap(([status, { content }]) => Object.values(content).flatMap(({ schema }) => schemasIn(schema, `${name} ${status}`))),
  ]),
];

/** Returns the members of object schemas, each with its path. */
const membersIn = (all: typeof schemas) =>
  all.flatMap(({ path, schema }) =>
    schema.type === "object" ? Object.entries(schema["properties"] ?? {}).map(([name, member]) => ({ path: `${path}.${name}`, schema: member as Schema })) : [],
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

describe("for generated clients, the OpenAPI document", () => {
  const components = Object.entries(document.components.schemas);
  const pathsWithSameValue = (entries: [path: string, value: unknown][]) =>
    [...Map.groupBy(entries, ([, value]) => JSON.stringify(value)).values()].filter(({ length }) => length > 1).map((same) => same.map(([path]) => path));

  test("names no schema like a global type", () => {
    const globals = [...Object.getOwnPropertyNames(globalThis), "Comment", "Document", "Element", "History", "Location", "Node", "Notification", "Range"];
    expect(components.map(([name]) => name).filter((name) => globals.includes(name))).toEqual([]);
  });

  test("names and describes each schema, request body, response and header", () => {
    const unnamed = documentedOperations.flatMap(({ name, operation }) => {
      // A 403 has the messages of its operation.
      const errors = Object.entries(operation.responses).filter(([status, response]) => status >= "400" && status !== "403" && !("$ref" in response));
      const media = [operation.requestBody?.content, ...responsesOf(operation).map(([, { content }]) => content)].flatMap((content) =>
        Object.entries(content ?? {}),
      );
      return [
        // The report of a system that is down.
        ...(name === "GET /api/health" ? [] : errors.map(([status]) => `${name} ${status}`)),
        ...media.filter(([type, { schema }]) => /json|form-data/.test(type) && !schema.$ref).map(([type]) => `${name} ${type}`),
        ...responsesOf(operation).flatMap(([status, { headers }]) =>
          Object.entries(headers).flatMap(([header, { $ref }]) => ($ref === `#/components/headers/${header}` ? [] : [`${name} ${status} ${header}`])),
        ),
      ];
    });
    expect(unnamed).toEqual([]);
    const { headers, responses } = document.components;
    const all: [string, { description?: unknown }][] = [...components, ...Object.entries(headers), ...Object.entries(responses)];
    expect(all.filter(([, { description }]) => !description).map(([name]) => name)).toEqual([]);
  });

  test("has no two components that differ in their names and descriptions only", () => {
    expect(pathsWithSameValue(components.map(([name, schema]) => [name, { ...schema, description: undefined }]))).toEqual([]);
    expect(components.map(([name]) => name).filter((name) => name.endsWith("Output"))).toEqual([]);
  });

  test("explains each enum in its component, and wraps a reference only to say more than its component", () => {
    const enums = components.filter(([, schema]) => schema["enum"]);
    expect(enums.filter(([, { description }]) => typeof description !== "string" || description === "").map(([name]) => name)).toEqual([]);
    const redundant = schemas.flatMap(({ path, schema }) => {
      const [wrapped, ...others] = (schema["allOf"] as Schema[] | undefined) ?? [];
      const component = others.length === 0 && wrapped?.$ref && document.components.schemas[wrapped.$ref.split("/").at(-1)!];
      return component && Object.keys(schema).length === 2 && schema.description === component.description ? [path] : [];
    });
    expect(redundant).toEqual([]);
  });

  test("has no enum of several values twice", () => {
    const enums = schemas.flatMap(({ path, schema }): [string, unknown][] => {
      const values = schema["enum"] as unknown[] | undefined;
      return values && values.length > 1 ? [[path, values]] : [];
    });
    expect(pathsWithSameValue(enums)).toEqual([]);
  });

  test("has no two enums in one schema whose names differ in their spelling only, since generators derive a type's name from each", () => {
    const clashes = schemas.flatMap(({ path, schema }) => {
      const members = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>).filter(([, member]) => member["enum"]);
      return pathsWithSameValue(members.map(([name]) => [`${path}.${name}`, name.replaceAll("_", "").toLowerCase()]));
    });
    expect(clashes).toEqual([]);
  });

  test("types the response of each JSON operation as a single object", () => {
    const alternatives = documentedOperations.flatMap(({ name, operation }) =>
      responsesOf(operation).flatMap(([status, { content }]) =>
        content["application/json"] && Object.keys(content).length > 1 ? [`${name} ${status}: ${Object.keys(content).join()}`] : [],
      ),
    );
    expect(alternatives).toEqual([]);
  });

  const lists = operations.filter(({ operation }) => operation.query && "total" in operation.response);
  sweep("has the paging members of each list, and says how to get it as CSV", lists, async ({ operation }) => {
    const documented = operationsByName[`${operation.method} ${operation.path}`]!;
    const [, response] = responsesOf(documented).find(([status]) => status === "200")!;
    const schema = document.components.schemas[response.content["application/json"]!.schema.$ref!.split("/").at(-1)!]!;
    const members = Object.keys(schema["properties"] as object);
    expect(members).toEqual(expect.arrayContaining(["page", "pageSize", "total", "totalPages"]));
    expect(documented.parameters!.map(({ name }) => name)).toEqual(expect.arrayContaining(["page", "pageSize"]));
    expect(documented.description).toContain("`Accept: text/csv`");
  });

  test("has no parameter with several values in another form than the default: repeated", () => {
    const others = documentedOperations.flatMap(({ name, operation }) =>
      (operation.parameters ?? []).filter((parameter) => "explode" in parameter || "style" in parameter).map((each) => `${name} ${each.name}`),
    );
    expect(others).toEqual([]);
  });

  test("has the headers of real responses, and those only", async () => {
    const office = await anOffice();
    const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
    const invite = { body: { tenantId: tenant.id, email: anEmail(), channels: ["email" as const] }, headers: { "Idempotency-Key": "once" } };
    await office.call("createTenantInvite", invite);
    const sent = [
      ["listTenants", await office.attempt("listTenants")],
      ["getTenant", await office.attempt("getTenant", { params: { id: tenant.id } })],
      ["createTenantInvite", await office.attempt("createTenantInvite", invite)],
      ["listCategoryRollups", await office.attempt("listCategoryRollups", { query: { startDate: "2026-01-01", endDate: "2026-01-31" } })],
      ["createCategory", await office.attempt("createCategory")],
      ["getTenant", await anonymous.attempt("getTenant", { params: { id: tenant.id } })],
      ["getSigningKeys", await anonymous.attempt("getSigningKeys")],
    ] as const;
    // The rate limit is turned off in the system of the tests.
    const names = Object.keys(document.components.headers).filter((name) => !name.startsWith("RateLimit"));
    const seen = new Set<string>();
    for (const [id, { status, headers }] of sent) {
      const { operation } = documentedOperations.find(({ operation: { operationId } }) => operationId === id)!;
      const [, response] = responsesOf(operation).find(([documented]) => documented === String(status))!;
      const real = names.filter((name) => headers.has(name));
      expect([id, status, real.filter((name) => !(name in response.headers))]).toEqual([id, status, []]);
      // A replay has no ETag: the resource may have changed since.
      if (status === 200 && !headers.has("Idempotent-Replayed"))
        expect([id, real.toSorted()]).toEqual([id, names.filter((name) => name in response.headers).toSorted()]);
      real.forEach((name) => seen.add(name));
    }
    const expected = "Allow Deprecation ETag Idempotent-Replayed Link Sunset WWW-Authenticate X-Request-Id";
    expect([...seen].toSorted().join(" ")).toBe(expected);
  });
});

describe("the API", () => {
  const requiredOperations = `
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

  test.each(requiredOperations)("has %s", (name) => {
    expect(operationsByName[name]).toBeDefined();
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
