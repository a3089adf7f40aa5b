/** OpenAPI document for generated clients: names, types and statuses that become good code. */
import { describe, expect, test } from "@jest/globals";
import { operations } from "@freehold/contract";
import { Client } from "../support/client.ts";
import { anEmail, anOffice } from "../support/office.ts";
import { running } from "../support/running.ts";
import { sweep } from "../sweeps/sweeping.ts";
import { document, documentedOperations, operationsByName, responsesOf, schemas, type Schema } from "./served-document.ts";

const { baseUrl } = running();
const anonymous = new Client(baseUrl);

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
