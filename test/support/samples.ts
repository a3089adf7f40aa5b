/** Sample requests generated from the contract's schemas, so that tests cover new operations automatically. */
import type { Operation } from "@freehold/contract/operation";
import { randomUUID } from "node:crypto";
import { z } from "zod";

interface JsonSchema {
  type?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  minLength?: number;
  minItems?: number;
  items?: JsonSchema;
  required?: string[];
  properties?: Record<string, JsonSchema>;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
}

/** Returns the sample id of a member, given the member's name. */
export type IdOf = (name: string) => string;
const anyId: IdOf = () => randomUUID();

const sampleByFormat: Record<string, string> = {
  date: "2026-06-01",
  "date-time": "2026-06-01T12:00:00.000Z",
  email: "somebody@example.com",
  uri: "https://example.com/",
};
const sampleTexts = ["Some text here", "NY", "12207", "key-1", "true", "1", "1234", "2026-06"];

export const aFile = () => new File(["Some text here\n"], "sample.txt");

function sampleText({ format, pattern, minLength = 0 }: JsonSchema, name: string, idOf: IdOf): string {
  if (format === "uuid") return idOf(name);
  if (format && sampleByFormat[format]) return sampleByFormat[format];
  const match = sampleTexts.find((each) => each.length >= minLength && (!pattern || new RegExp(pattern).test(each)));
  if (!match) throw new Error(`No sample text for ${name} matches ${pattern}: add one to sampleTexts in test/support/samples.ts.`);
  return match;
}

function sampleValue(schema: JsonSchema, name: string, idOf: IdOf, root: JsonSchema): unknown {
  if (schema.$ref) return sampleValue(root.$defs![schema.$ref.split("/").at(-1)!]!, name, idOf, root);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.format === "binary") return aFile();
  const [alternative] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  if (alternative) return sampleValue(alternative, name, idOf, root);
  switch (schema.type) {
    case "object":
      return Object.fromEntries((schema.required ?? []).map((key) => [key, sampleValue(schema.properties![key]!, key, idOf, root)]));
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleValue(schema.items!, name, idOf, root));
    case "integer":
    case "number":
      return Math.max(schema.minimum ?? 1, 1);
    case "boolean":
      return true;
    default:
      return sampleText(schema, name, idOf);
  }
}

const jsonSchemaOf = (schema: z.ZodType): JsonSchema => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;

/** Adjustments of the sample bodies of operations with rules that the generated JSON schema does not contain, by method and path. */
const bodyAdjustments: Record<string, (body: Record<string, unknown>, idOf: IdOf) => Record<string, unknown>> = {
  "POST /api/auth/token": () => ({ grantType: "refresh_token" }),
  "POST /api/tenant-invites": (body) => ({ ...body, email: "tenant@example.com" }),
  "POST /api/owner-invites": (body) => ({ ...body, email: "owner@example.com" }),
  "POST /api/vendor-invites": (body) => ({ ...body, email: "vendor@example.com" }),
  "POST /api/leases/{leaseId}/occupants": (body) => ({ ...body, role: "co_tenant", fullName: "Cora Co-Tenant" }),
  "PUT /api/properties/{id}/ownership": (body, idOf) => ({ ...body, shares: [{ ownerId: idOf("ownerId"), shareBps: 10_000 }] }),
  "POST /api/leases": (body) => ({ ...body, endDate: "2027-05-31" }),
  "POST /api/work-orders/{id}/assign": (body, idOf) => ({ ...body, vendorId: idOf("vendorId") }),
  "POST /api/management-fees/agreements": (body) => ({ ...body, percentBps: 1_000 }),
  "POST /api/recurring-charges": (body, idOf) => ({ ...body, leaseId: idOf("leaseId") }),
  "PATCH /api/import-bundles/{id}/candidates/{candidateId}": (body, idOf) => ({ ...body, action: "match", entityId: idOf("entityId") }),
  "POST /api/trust/security-deposits/{id}/receipts": (body) => ({ ...body, amountCents: 1, paymentMethod: "ach", receivedAt: "2026-06-01T12:00:00.000Z" }),
  "POST /api/trust/security-deposits/{id}/transfer": (body, idOf) => ({ ...body, toLeaseId: idOf("toLeaseId") }),
  "POST /api/accounting/journal-entries": (body, idOf) => ({
    ...body,
    lines: [
      { accountId: idOf("accountId"), debitCents: 100 },
      { accountId: idOf("accountId"), creditCents: 100 },
    ],
  }),
};

/** Returns a valid body with the required members only; undefined for an operation without a body. */
export function sampleBody(operation: Operation, idOf: IdOf = anyId): Record<string, unknown> | undefined {
  if (!operation.body) return undefined;
  const json = jsonSchemaOf(operation.body);
  const name = `${operation.method} ${operation.path}`;
  const generated = sampleValue(json, "", idOf, json) as Record<string, unknown>;
  const body = bodyAdjustments[name]?.(generated, idOf) ?? generated;
  const checked = operation.body.safeParse(body);
  if (!checked.success)
    throw new Error(`The sample body of ${name} is invalid. Adjust it in \`bodyAdjustments\` in test/support/samples.ts: ${z.prettifyError(checked.error)}`);
  return body;
}

/** Returns a query with the required members only; empty for an operation without a query. */
export function sampleQuery(operation: Operation, idOf: IdOf = anyId): Record<string, string> {
  if (!operation.query) return {};
  const json = jsonSchemaOf(operation.query);
  return sampleValue(json, "", idOf, json) as Record<string, string>;
}

/** Returns the query with the required members only, and queries that each set one member: page 2, each value of `sortBy`, or a sample value. */
export function queryVariants(operation: Operation, idOf: IdOf = anyId): Record<string, string>[] {
  if (!operation.query) return [{}];
  const json = jsonSchemaOf(operation.query);
  const minimal = sampleQuery(operation, idOf);
  const variants = Object.entries(json.properties ?? {}).flatMap(([name, schema]) => {
    const values = name === "page" ? ["2"] : name === "sortBy" && schema.enum ? schema.enum : [sampleValue(schema.items ?? schema, name, idOf, json)];
    return values.map((value) => ({ ...minimal, [name]: String(value) }));
  });
  return [minimal, ...variants];
}

/** Returns the query parameters of an operation that have several values, with the values that they accept. */
export function listParameters(operation: Operation): { name: string; values: string[] }[] {
  if (!operation.query) return [];
  return Object.entries(jsonSchemaOf(operation.query).properties ?? {}).flatMap(([name, { type, items }]) =>
    type === "array" ? [{ name, values: (items?.enum ?? []) as string[] }] : [],
  );
}

/** Returns the names of a body's required members. */
export const requiredMembers = (operation: Operation): string[] => (operation.body ? (jsonSchemaOf(operation.body).required ?? []) : []);

/** Returns the names of all members of a body. */
export const bodyMembers = (operation: Operation): string[] => (operation.body ? Object.keys(jsonSchemaOf(operation.body).properties ?? {}) : []);

/** Returns the names of a body's members that are an id or a list of ids. */
export function bodyReferences(operation: Operation): { name: string; isList: boolean }[] {
  if (!operation.body) return [];
  const isId = (schema: JsonSchema): boolean => schema.format === "uuid" || (schema.anyOf ?? []).some(isId);
  return Object.entries(jsonSchemaOf(operation.body).properties ?? {}).flatMap(([name, schema]) => {
    const isList = schema.type === "array" && schema.items !== undefined && isId(schema.items);
    return isList || isId(schema) ? [{ name, isList }] : [];
  });
}
