/** Guarantees of every operation of the contract: authentication, authorization, validation and isolation. New operations are covered automatically. */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { NamedOperation } from "@freehold/contract";
import { ErrorBody } from "@freehold/contract/errors";
import { roleRequirement, roles, type Role } from "@freehold/contract/roles";
import { Client } from "./support/client.ts";
import { anOffice, type Colleague, type Office } from "./support/office.ts";
import { running } from "./support/running.ts";
import { sampleBody, bodyMembers, sampleQuery, bodyReferences, requiredMembers, type IdOf } from "./support/samples.ts";
import {
  anyId,
  allOperations,
  authenticatedOperations,
  idParams,
  requiresToken,
  isStream,
  fillPath,
  sendRaw,
  validatedOperations,
  send,
  sweep,
  operationsWithBody,
  operationsWithId,
  writeOperations,
  type RequestInput,
} from "./support/sweeping.ts";
import { openTokenMint, unsigned, type Claims, type TokenMint } from "./support/tokens.ts";
import { createFixtures, bodyFixtureId, pathFixtureId, subjectIdFor, type Fixtures } from "./support/world.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const { baseUrl } = running();
const anonymous = new Client(baseUrl);
let mint: TokenMint;
let a: Office;
let b: Office;
let fixturesA: Fixtures;
let fixturesB: Fixtures;

beforeAll(async () => {
  [mint, a, b] = await Promise.all([openTokenMint(), anOffice(), anOffice()]);
  [fixturesA, fixturesB] = await Promise.all([createFixtures(a), createFixtures(b)]);
});

/** Returns the token of an allowed caller: the organization's admin, or else the portal user whom the resource belongs to. */
function tokenFor({ operation }: NamedOperation, office = a, world = fixturesA): string | undefined {
  if (operation.access === "public") return undefined;
  if (operation.access.includes("admin")) return office.token;
  const [role] = operation.access as [Role];
  return mint.genuine({ organizationId: office.organizationId, role, subjectId: subjectIdFor(world, role) });
}

/** Returns the fixture ids of a path: the first id by the path, later ids by their name. */
const inA =
  (named: NamedOperation): IdOf =>
  (name) =>
    name === idParams(named)[0] ? pathFixtureId(fixturesA, named.operation.path) : bodyFixtureId(fixturesA)(name);

const correct = (named: NamedOperation): RequestInput => ({
  path: fillPath(named, idParams(named).length > 0 ? inA(named) : anyId),
  query: sampleQuery(named.operation, bodyFixtureId(fixturesA)),
  body: sampleBody(named.operation, bodyFixtureId(fixturesA)),
  token: tokenFor(named),
});

describe("without a token", () => {
  sweep("every operation answers 401 and names the authentication scheme", authenticatedOperations, async (named) => {
    const { status, error, headers } = await send(named, { body: sampleBody(named.operation) });
    expect([status, error?.code]).toEqual([401, "token_missing"]);
    expect(headers.get("www-authenticate")).toBe("Bearer");
  });

  sweep(
    "public operations need none",
    allOperations.filter((named) => !requiresToken(named)),
    async (named) => {
      const { error } = await send(named, { query: { surprise: "1" } });
      expect(error?.code).not.toBe("token_missing");
    },
  );
});

describe("with an invalid or expired token", () => {
  const claims = (): Claims => ({ organizationId: a.organizationId, role: "admin", userId: a.userId });
  const bad: [string, string, () => string][] = [
    ["garbage", "token_invalid", () => "garbage"],
    ["the claims of another role under the old signature", "token_invalid", () => promoted(mint.genuine({ ...claims(), role: "staff" }))],
    ["a foreign signature under the real key's id", "token_invalid", () => mint.forged(claims())],
    ["an expired one", "token_expired", () => mint.genuine({ ...claims(), expiresInSeconds: -1 })],
    ["alg none", "token_invalid", () => unsigned(claims())],
    ["another type of token", "token_invalid", () => mint.withHeader({ typ: "JWT" }, claims())],
    ["an unknown key", "token_invalid", () => mint.withHeader({ kid: "another" }, claims())],
    ["another issuer", "token_invalid", () => mint.genuine({ ...claims(), issuer: "https://example.com" })],
    ["another audience", "token_invalid", () => mint.genuine({ ...claims(), audience: "another" })],
  ];
  const promoted = (token: string) => {
    const [header, payload, signature] = token.split(".") as [string, string, string];
    const changed = { ...(JSON.parse(Buffer.from(payload, "base64url").toString()) as object), role: "admin" };
    return [header, Buffer.from(JSON.stringify(changed)).toString("base64url"), signature].join(".");
  };

  test("a valid token is accepted", async () => {
    const me = await new Client(baseUrl, mint.genuine(claims())).attempt("getMe");
    expect(me.status).toBe(200);
  });

  const attempts = () => bad.flatMap(([name, code, make]) => authenticatedOperations.map((named) => ({ ...named, name, code, token: make() })));
  sweep("every operation answers 401 to each kind of bad token", attempts, async ({ code, token, ...named }) => {
    const { status, error } = await send(named, { body: sampleBody(named.operation), token });
    expect([status, error?.code]).toEqual([401, code]);
  });

  test("a token is accepted in the header only", async () => {
    const response = await anonymous.raw("GET", `/api/properties?token=${a.token}`);
    expect(response.status).toBe(401);
  });
});

describe("a role that is not allowed", () => {
  const refused = authenticatedOperations.flatMap((named) =>
    roles.filter((role) => !named.operation.access.includes(role)).map((role) => ({ ...named, role })),
  );

  sweep("every operation answers 403, before anything of the request is validated", refused, async ({ role, ...named }) => {
    const token = mint.genuine({ organizationId: a.organizationId, role, subjectId: fixturesA.tenant });
    const { status, error } = await send(named, { path: fillPath(named, () => "not-a-uuid"), query: { surprise: "1" }, body: { surprise: 1 }, token });
    expect(status).toBe(403);
    expect(error).toEqual({ message: roleRequirement(named.operation.access as readonly Role[], named.operation.summary), code: "role_forbidden" });
  });

  test("applies to invited users as to minted tokens", async () => {
    const people = await Promise.all([
      a.colleague("manager"),
      a.colleague("staff"),
      a.tenantUser(fixturesA.tenant),
      a.ownerUser(fixturesA.owner),
      a.vendorUser(fixturesA.vendor),
    ]);
    const [manager, staff, ...portal] = people as [Colleague, Colleague, ...Colleague[]];
    const answers = await Promise.all([
      manager.attempt("createUser"),
      staff.attempt("createProperty"),
      ...portal.map((who) => who.attempt("listProperties")),
      ...portal.map((who) => who.attempt("getMe")),
    ]);
    const officeOnly = "Only admins, managers or staff can list properties.";
    expect(answers.map(({ status, body }) => [status, body.message])).toEqual([
      [403, "Only admins can invite users."],
      [403, "Only admins or managers can create properties."],
      ...portal.map(() => [403, officeOnly]),
      ...portal.map(() => [200, undefined]),
    ]);
  });
});

describe("an operation that always fails", () => {
  sweep(
    "answers its status for any request",
    allOperations.filter(({ operation }) => operation.alwaysFails),
    async (named) => {
      for (const id of ["not-a-uuid", randomUUID(), fixturesB.payment]) {
        const { status } = await send(named, { path: fillPath(named, () => id), query: { surprise: "1" }, body: { surprise: 1 }, token: a.token });
        expect(status).toBe(named.operation.alwaysFails);
      }
    },
  );
});

describe("an id in the path", () => {
  sweep("that is not a UUID is refused with the name of the parameter", operationsWithId, async (named) => {
    for (const wrong of ["not-a-uuid", "1", "00000000-0000-0000-0000-00000000000g", "'", "%00"]) {
      const { status, error } = await send(named, { ...correct(named), path: fillPath(named, () => wrong) });
      expect([status, error?.code, error?.errors?.map(({ path }) => path)]).toEqual([400, "validation_failed", idParams(named)]);
    }
  });

  sweep("that does not exist answers 404", operationsWithId, async (named) => {
    const { status, error } = await send(named, { ...correct(named), path: fillPath(named, anyId) });
    expect([status, error?.code]).toEqual([404, "not_found"]);
  });

  sweep("of another organization answers the same as one that does not exist", operationsWithId, async (named) => {
    const unknown = await send(named, { ...correct(named), path: fillPath(named, anyId) });
    const foreign = await send(named, { ...correct(named), path: fillPath(named, () => pathFixtureId(fixturesB, named.operation.path)) });
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
  });

  sweep(
    "of the caller's organization is answered",
    operationsWithId.filter(({ operation }) => operation.method === "GET"),
    async (named) => {
      const path = fillPath(named, () => pathFixtureId(fixturesB, named.operation.path));
      const { status } = await send(named, { path, query: sampleQuery(named.operation, bodyFixtureId(fixturesB)), token: tokenFor(named, b, fixturesB) });
      expect(status).toBe(200);
    },
  );

  const portals = operationsWithId.filter(({ operation: { access } }) => access !== "public" && !access.includes("admin"));
  sweep("of another portal user answers the same as one that does not exist", portals, async (named) => {
    const [role] = named.operation.access as [Role];
    const token = mint.genuine({ organizationId: a.organizationId, role, subjectId: randomUUID() });
    const unknown = await send(named, { ...correct(named), path: fillPath(named, anyId), token });
    const anothers = await send(named, { ...correct(named), token });
    expect([anothers.status, anothers.text]).toEqual([404, unknown.text]);
  });
});

describe("an id in the body", () => {
  const references = operationsWithBody
    .filter(requiresToken)
    .flatMap((named) => bodyReferences(named.operation).map(({ name, isList }) => ({ ...named, name, isList })));
  // createRecurringCharge needs exactly one of two references, so the other is removed.
  const alternatives: Record<string, string> = { unitId: "leaseId" };

  sweep("of another organization is refused like an unknown one", references, async ({ name, isList, ...named }) => {
    const answers = await Promise.all(
      [randomUUID(), bodyFixtureId(fixturesB)(name)].map((id) => {
        const { body, ...rest } = correct(named);
        const changed: Record<string, unknown> = { ...(body as object), [name]: isList ? [id] : id };
        if (named.id === "createRecurringCharge") delete changed[alternatives[name] ?? ""];
        return send(named, { ...rest, body: changed });
      }),
    );
    const [unknown, foreign] = answers as [(typeof answers)[0], (typeof answers)[0]];
    expect([foreign.status, foreign.error?.errors?.map(({ path, code }) => [path.split(".")[0], code])]).toEqual([400, [[name, "not_found"]]]);
    expect(foreign.text).toBe(unknown.text);
  });
});

describe("a list", () => {
  const lists = allOperations.filter(
    (named) => requiresToken(named) && named.operation.method === "GET" && !isStream(named) && idParams(named).length === 0 && !named.operation.contentType,
  );

  sweep("contains nothing of another organization", lists, async (named) => {
    const { status, text } = await send(named, { ...correct(named), headers: {} });
    expect(status).toBe(200);
    expect(Object.values({ ...fixturesB, organization: b.organizationId, admin: b.userId }).filter((id) => text.includes(id))).toEqual([]);
  });

  sweep(
    "finds nothing by another organization's ids",
    lists.filter(({ operation }) => operation.query),
    async (named) => {
      const filters = Object.keys(named.operation.query!.shape).filter((name) => name.endsWith("Id"));
      for (const filter of filters) {
        const { status, text } = await send(named, {
          ...correct(named),
          query: { ...sampleQuery(named.operation, bodyFixtureId(fixturesA)), [filter]: bodyFixtureId(fixturesB)(filter) },
        });
        expect([200, 400, 404]).toContain(status);
        const others = Object.values(fixturesB).filter((id) => id !== bodyFixtureId(fixturesB)(filter) && text.includes(id));
        expect([filter, others]).toEqual([filter, []]);
      }
    },
  );
});

describe("an unknown member", () => {
  sweep(
    "is refused in the query of a read",
    validatedOperations.filter(({ operation }) => operation.method === "GET"),
    async (named) => {
      const sent = correct(named);
      const { status, error } = await send(named, { ...sent, query: { ...sent.query, surprise: "1" } });
      expect([status, error?.errors?.map(({ path, code }) => [path, code])]).toEqual([400, [["surprise", "unrecognized_key"]]]);
    },
  );

  sweep("is refused in the query and in the body of a write", writeOperations, async (named) => {
    const sent = correct(named);
    const inQuery = await send(named, { ...sent, query: { surprise: "1" } });
    const inside = await send(named, { ...sent, body: { ...(sent.body as object), surprise: 1 } });
    for (const { status, error } of [inQuery, inside])
      expect([status, error?.errors?.map(({ path, code }) => [path, code])]).toEqual([400, [["surprise", "unrecognized_key"]]]);
  });

  sweep("cannot set a field that the system manages", operationsWithBody, async (named) => {
    const sent = correct(named);
    const known = bodyMembers(named.operation);
    for (const member of ["organizationId", "status", "balanceCents", "id", "deletedAt", "createdAt", "version", "role", "__proto__"]) {
      if (known.includes(member)) continue;
      const text = JSON.stringify({ ...(sent.body as object), marker: 1 }).replace('"marker"', JSON.stringify(member));
      const { status, error } = await send(named, { ...sent, body: text });
      expect([member, status, error?.errors?.map(({ path, code }) => [path, code])]).toEqual([member, 400, [[member, "unrecognized_key"]]]);
    }
  });
});

describe("a body", () => {
  sweep(
    "that lacks required members is refused with the name of each",
    operationsWithBody.filter(({ operation }) => requiredMembers(operation).length > 0),
    async (named) => {
      const sent = correct(named);
      for (const member of requiredMembers(named.operation)) {
        const { [member]: _, ...rest } = sent.body as Record<string, unknown>;
        const { status, error } = await send(named, { ...sent, body: rest });
        expect([status, error?.errors?.map(({ path, code }) => [path, code])]).toEqual([400, expect.arrayContaining([[member, "required"]])]);
      }
      const { error } = await send(named, { ...sent, body: {} });
      expect(error?.errors?.map(({ path }) => path)).toEqual(expect.arrayContaining(requiredMembers(named.operation)));
    },
  );

  sweep("that is not JSON is refused", writeOperations, async (named) => {
    for (const text of ["{", '{"a":1,}', "nonsense", '"text"', "{'a':1}"]) {
      const { status, error } = await send(named, { ...correct(named), body: text });
      expect([text, status, error?.code]).toEqual([text, 400, "malformed_json"]);
    }
  });

  sweep("that is an array is refused", operationsWithBody, async (named) => {
    const { status } = await send(named, { ...correct(named), body: "[]" });
    expect(status).toBe(400);
  });

  sweep("of another content type is refused", writeOperations, async (named) => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/xml"]) {
      const { status, error } = await send(named, { ...correct(named), body: "{}", headers: { "Content-Type": type } });
      expect([type, status, error?.code]).toEqual([type, 400, "malformed_json"]);
    }
  });

  sweep("above 1 MiB is refused", writeOperations, async (named) => {
    const { status, error } = await send(named, { ...correct(named), body: `{"surprise":"${"x".repeat(1_048_576)}"}` });
    expect([status, error?.code]).toEqual([400, "payload_too_large"]);
  });

  test("of 1 MiB is accepted, and a chunked body is limited too", async () => {
    const exact = `{"surprise":"${"x".repeat(1_048_576 - 15)}"}`;
    const read = await a.raw("POST", "/api/vendors", exact);
    expect([Buffer.byteLength(exact), read.status, ((await read.json()) as ErrorBody).code]).toEqual([1_048_576, 400, "validation_failed"]);
    const { status, body } = await chunked("/api/vendors", `${exact.slice(0, -2)}xx"}`);
    expect([status, (JSON.parse(body) as ErrorBody).code]).toEqual([400, "payload_too_large"]);
  });
});

/** A request without Content-Length. */
const chunked = (path: string, text: string) =>
  sendRaw("POST", path, { "Content-Type": "application/json", "Transfer-Encoding": "chunked", Authorization: `Bearer ${a.token}` }, text);

describe("a path", () => {
  test.each(["/api", "/api/nothing", "/api/properties/", "/API/properties", "/api//properties", "/api/leases/a/b/c", "/.well-known", "/api/%2e%2e/x"])(
    "%s outside of the contract answers 404, with or without a token",
    async (path) => {
      for (const headers of [{}, { Authorization: `Bearer ${a.token}` }]) {
        const { status, body } = await sendRaw("GET", path, headers);
        expect([status, ErrorBody.parse(JSON.parse(body)).code]).toEqual([404, "not_found"]);
      }
    },
  );

  const paths = Object.groupBy(allOperations, ({ operation }) => operation.path);
  sweep(
    "names its methods to any other method",
    Object.entries(paths).map(([id, known]) => ({ id, known: known! })),
    async ({ known }) => {
      const methods = known.map(({ operation }) => operation.method as string);
      const unknown = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"].filter((method) => !methods.includes(method));
      for (const method of unknown) {
        const { status, allow, body } = await sendRaw(method, fillPath(known[0]!, anyId));
        expect([method, status, allow?.split(", ").toSorted()]).toEqual([method, 405, methods.toSorted()]);
        ErrorBody.parse(JSON.parse(body));
      }
    },
  );
});

describe("headers", () => {
  test("a response has a generated request id unless a UUID was sent", async () => {
    for (const sent of ["", "abc", `${randomUUID()}x`]) {
      const response = await anonymous.raw("GET", "/api/nothing", undefined, { "X-Request-Id": sent });
      const given = response.headers.get("x-request-id");
      expect(given).toMatch(UUID);
      expect(given).not.toBe(sent);
    }
  });

  test("internal headers of a caller are ignored", async () => {
    const forged = { "x-freehold-scope": "forged", "x-freehold-client-address": "10.0.0.1" };
    const response = await a.raw("GET", "/api/accounts/current", undefined, forged);
    expect(response.status).toBe(200);
    expect((await anonymous.raw("GET", "/api/accounts/current", undefined, forged)).status).toBe(401);
  });

  test("no header exposes the server software", async () => {
    const response = await a.raw("GET", "/api/properties");
    expect([response.headers.get("x-powered-by"), response.headers.get("server")]).toEqual([null, null]);
  });

  test("HEAD answers as GET does, without the body", async () => {
    const { status, body } = await sendRaw("HEAD", "/api/properties", { Authorization: `Bearer ${a.token}` });
    expect([status, body]).toEqual([200, ""]);
  });
});
