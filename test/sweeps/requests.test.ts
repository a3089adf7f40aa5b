/** Guarantees of every operation of the contract: validation of requests, methods and headers. New operations are covered automatically. */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { NamedOperation } from "@freehold/contract";
import { ErrorBody } from "@freehold/contract/errors";
import { Client } from "../support/client.ts";
import type { Office } from "../support/office.ts";
import { running } from "../support/running.ts";
import { bodyMembers, listParameters, requiredMembers } from "../support/samples.ts";
import { openSweepWorld, type SweepWorld } from "./sweep-world.ts";
import { allOperations, anyId, fillPath, isStream, operationsWithBody, send, sendRaw, sweep, validatedOperations, writeOperations } from "./sweeping.ts";
import type { Fixtures } from "../support/world.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const anonymous = new Client(running().baseUrl);
let a: Office;
let fixturesA: Fixtures;
let fixturesB: Fixtures;
let validRequest: SweepWorld["validRequest"];

beforeAll(async () => {
  ({ a, fixturesA, fixturesB, validRequest } = await openSweepWorld());
});

describe("an operation that always fails", () => {
  sweep(
    "responds with its documented status to any request",
    allOperations.filter(({ operation }) => operation.alwaysFails),
    async (named) => {
      for (const id of ["not-a-uuid", randomUUID(), fixturesB.payment]) {
        const { status } = await send(named, { path: fillPath(named, () => id), query: { surprise: "1" }, body: { surprise: 1 }, token: a.token });
        expect(status).toBe(named.operation.alwaysFails);
      }
    },
  );
});

describe("an unknown member", () => {
  sweep(
    "is refused in the query of a read",
    validatedOperations.filter(({ operation }) => operation.method === "GET"),
    async (named) => {
      const request = validRequest(named);
      const { status, error } = await send(named, { ...request, query: { ...request.query, surprise: "1" } });
      expect([status, error?.errors?.map(({ path, code }) => [path, code])]).toEqual([400, [["surprise", "unrecognized_key"]]]);
    },
  );

  sweep("is refused in the query and in the body of a write", writeOperations, async (named) => {
    const request = validRequest(named);
    const withQueryMember = await send(named, { ...request, query: { surprise: "1" } });
    const withBodyMember = await send(named, { ...request, body: { ...(request.body as object), surprise: 1 } });
    for (const { status, error } of [withQueryMember, withBodyMember])
      expect([status, error?.errors?.map(({ path, code }) => [path, code])]).toEqual([400, [["surprise", "unrecognized_key"]]]);
  });

  sweep("cannot set a member that the system manages", operationsWithBody, async (named) => {
    const request = validRequest(named);
    const settableMembers = bodyMembers(named.operation);
    for (const member of ["organizationId", "status", "balanceCents", "id", "deletedAt", "createdAt", "version", "role", "__proto__"]) {
      if (settableMembers.includes(member)) continue;
      const text = JSON.stringify({ ...(request.body as object), marker: 1 }).replace('"marker"', JSON.stringify(member));
      const { status, error } = await send(named, { ...request, body: text });
      expect([member, status, error?.errors?.map(({ path, code }) => [path, code])]).toEqual([member, 400, [[member, "unrecognized_key"]]]);
    }
  });
});

describe("a body", () => {
  sweep(
    "that lacks required members is refused with the name of each",
    operationsWithBody.filter(({ operation }) => requiredMembers(operation).length > 0),
    async (named) => {
      const request = validRequest(named);
      for (const member of requiredMembers(named.operation)) {
        const { [member]: _, ...rest } = request.body as Record<string, unknown>;
        const { status, error } = await send(named, { ...request, body: rest });
        expect([status, error?.errors?.map(({ path, code }) => [path, code])]).toEqual([400, expect.arrayContaining([[member, "required"]])]);
      }
      const { error } = await send(named, { ...request, body: {} });
      expect(error?.errors?.map(({ path }) => path)).toEqual(expect.arrayContaining(requiredMembers(named.operation)));
    },
  );

  sweep("that is not JSON is refused", writeOperations, async (named) => {
    for (const text of ["{", '{"a":1,}', "nonsense", '"text"', "{'a':1}"]) {
      const { status, error } = await send(named, { ...validRequest(named), body: text });
      expect([text, status, error?.code]).toEqual([text, 400, "malformed_json"]);
    }
  });

  const operationsWithJson = writeOperations.filter(({ operation }) => !operation.uploads);
  sweep("with a name twice is refused", operationsWithJson, async (named) => {
    const { status, error } = await send(named, { ...validRequest(named), body: '{"a":{"b":1,"b":2}}' });
    expect([status, error?.errors?.map(({ path, code }) => [path, code])]).toEqual([400, [["a.b", "unique"]]]);
  });

  sweep("that is an array is refused", operationsWithBody, async (named) => {
    const { status } = await send(named, { ...validRequest(named), body: "[]" });
    expect(status).toBe(400);
  });

  sweep("of another content type is refused", writeOperations, async (named) => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/xml"]) {
      if (named.operation.form && type === "application/x-www-form-urlencoded") continue;
      const { status, error } = await send(named, { ...validRequest(named), body: "{}", headers: { "Content-Type": type } });
      expect([type, status, error?.code]).toEqual([type, 400, "malformed_json"]);
    }
  });

  sweep("above 1 MiB is refused", writeOperations, async (named) => {
    const { status, error } = await send(named, { ...validRequest(named), body: `{"surprise":"${"x".repeat(1_048_576)}"}` });
    expect([status, error?.code]).toEqual([400, "payload_too_large"]);
  });

  test("of exactly 1 MiB is read, and a larger chunked body is refused", async () => {
    const exact = `{"surprise":"${"x".repeat(1_048_576 - 15)}"}`;
    const response = await a.raw("POST", "/api/vendors", exact);
    expect([Buffer.byteLength(exact), response.status, ((await response.json()) as ErrorBody).code]).toEqual([1_048_576, 400, "validation_failed"]);
    const { status, body } = await sendChunked("/api/vendors", `${exact.slice(0, -2)}xx"}`);
    expect([status, (JSON.parse(body) as ErrorBody).code]).toEqual([400, "payload_too_large"]);
  });

  test("of exactly 64 KiB is read by an operation that needs no access token, and a larger one is refused, also a chunked one", async () => {
    const exact = `{"surprise":"${"x".repeat(65_536 - 15)}"}`;
    const response = await a.raw("POST", "/api/auth/login", exact);
    expect([response.status, ((await response.json()) as ErrorBody).code]).toEqual([400, "validation_failed"]);
    const larger = `${exact.slice(0, -2)}xx"}`;
    const refused = await a.raw("POST", "/api/auth/login", larger);
    expect([refused.status, await refused.json()]).toEqual([400, { message: "The body is larger than 64 KiB.", code: "payload_too_large" }]);
    expect((await sendChunked("/api/auth/login", larger)).body).toContain("payload_too_large");
  });
});

/** Sends a request without Content-Length. */
const sendChunked = (path: string, text: string) =>
  sendRaw("POST", path, { "Content-Type": "application/json", "Transfer-Encoding": "chunked", Authorization: `Bearer ${a.token}` }, text);

describe("a parameter with several values", () => {
  /** Returns the parameters whose values are those of an enum: a text of any value has no unknown one. */
  const enumListsOf = ({ operation }: NamedOperation) => listParameters(operation).filter(({ values }) => values.length > 0);

  sweep(
    "returns the same when it is repeated and when its values are separated by commas, and refuses an unknown value in either form",
    validatedOperations.filter((named) => enumListsOf(named).length > 0),
    async (named) => {
      const { path, query, token } = validRequest(named);
      const read = (...values: string[][]) =>
        send(named, { path: `${path}?${new URLSearchParams([...Object.entries(query ?? {}), ...values]).toString()}`, token });
      for (const { name, values } of enumListsOf(named)) {
        const repeated = await read(...values.map((value) => [name, value]));
        const separated = await read([name, values.join(",")]);
        expect([name, repeated.status, separated.status]).toEqual([name, 200, 200]);
        expect(JSON.parse(repeated.text)).toEqual(JSON.parse(separated.text));
        for (const { status, error } of [await read([name, values[0]!], [name, "nothing"]), await read([name, `${values[0]},nothing`])])
          expect([status, error?.errors?.map(({ path, code }) => [path, code])]).toEqual([400, [[name, "enum"]]]);
      }
    },
  );

  test("selects the resources of each of its values", async () => {
    const { propertyId } = (await a.call("getUnit", { params: { id: fixturesA.unit } })).unit;
    const [monthlyRentCents, status] = [100_000, "maintenance"] as const;
    await a.call("createUnits", {
      body: {
        propertyId,
        units: [
          { unitNumber: "V", monthlyRentCents },
          { unitNumber: "M", monthlyRentCents, status },
        ],
      },
    });
    const byStatus = async (search: string) => {
      const { units } = (await (await a.raw("GET", `/api/units?propertyId=${propertyId}&${search}`)).json()) as { units: { status: string }[] };
      return units.map(({ status }) => status).toSorted();
    };
    for (const search of ["status=vacant&status=maintenance", "status=vacant,maintenance", "status=vacant&status=maintenance,vacant"])
      expect([search, await byStatus(search)]).toEqual([search, ["maintenance", "vacant"]]);
  });
});

describe("a path", () => {
  test.each(["/api", "/api/nothing", "/api/properties/", "/API/properties", "/api//properties", "/api/leases/a/b/c", "/.well-known", "/api/%2e%2e/x"])(
    "%s outside of the contract responds 404, with or without a token",
    async (path) => {
      for (const headers of [{}, { Authorization: `Bearer ${a.token}` }]) {
        const { status, body } = await sendRaw("GET", path, headers);
        expect([status, ErrorBody.parse(JSON.parse(body)).code]).toEqual([404, "not_found"]);
      }
    },
  );

  const operationsByPath = Object.groupBy(allOperations, ({ operation }) => operation.path);
  sweep(
    "responds 405 with the allowed methods to any other method",
    Object.entries(operationsByPath).map(([id, pathOperations]) => ({ id, pathOperations: pathOperations! })),
    async ({ pathOperations }) => {
      const methods = pathOperations.map(({ operation }) => operation.method as string);
      const otherMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"].filter((method) => !methods.includes(method));
      const working = pathOperations.filter(({ operation }) => operation.alwaysFails !== 405);
      const allowed = (working.length > 0 ? working : pathOperations).map(({ operation }) => operation.method as string);
      for (const method of otherMethods) {
        const { status, allow, body } = await sendRaw(method, fillPath(pathOperations[0]!, anyId));
        expect([method, status, allow?.split(", ").toSorted()]).toEqual([method, 405, allowed.toSorted()]);
        ErrorBody.parse(JSON.parse(body));
      }
    },
  );
});

describe("a parameter with one value", () => {
  const parametersOf = (named: NamedOperation) => {
    const lists = listParameters(named.operation).map(({ name }) => name);
    return Object.keys(named.operation.query?.shape ?? {}).filter((name) => !lists.includes(name));
  };

  sweep(
    "is refused when it is repeated, also with the same value",
    validatedOperations.filter((named) => parametersOf(named).length > 0),
    async (named) => {
      const { path, query, token } = validRequest(named);
      for (const name of parametersOf(named)) {
        const value = query?.[name] ?? "1";
        const { [name]: _, ...others } = query ?? {};
        const repeated = new URLSearchParams([...Object.entries(others), [name, value], [name, value]]).toString();
        const { status, error } = await send(named, { path: `${path}?${repeated}`, token });
        expect([name, status, error?.errors?.map(({ path }) => path)]).toEqual([name, 400, [name]]);
      }
    },
  );
});

describe("headers", () => {
  /** Paths of the gateway's own documents and of the pages that links in e-mails open. */
  const pages = ["/", "/api/docs", "/api/openapi.json", "/llms.txt", "/invites/x", "/password-reset/x", "/email-confirmation/x", "/nothing"];
  const protections = {
    "x-content-type-options": /^nosniff$/,
    "referrer-policy": /^no-referrer$/,
    "strict-transport-security": /^max-age=31536000; includeSubDomains$/,
    // Scripts come from the same origin only: not from the page's text, and not from a text at run time. Plug-ins and other bases of links are forbidden.
    "content-security-policy":
      /^default-src '(none'|self'; object-src 'none');(?!.*(unsafe-eval|script-src (?!'self';))).* base-uri 'none'; frame-ancestors 'none'/,
  };
  const unprotected = (headers: Headers) => Object.entries(protections).flatMap(([name, expected]) => (expected.test(headers.get(name) ?? "") ? [] : [name]));

  sweep("forbid sniffing, framing, referrers, foreign scripts and plain HTTP in every response and every refusal", allOperations, async (named) => {
    const responses = [await send(named, {}), ...(isStream(named) ? [] : [await send(named, validRequest(named))])];
    for (const { status, headers } of responses) expect([status, unprotected(headers)]).toEqual([status, []]);
  });

  test("forbid the same on every page", async () => {
    for (const path of pages) {
      const { headers } = await anonymous.raw("GET", path, undefined, { Accept: "text/html" });
      expect([path, unprotected(headers)]).toEqual([path, []]);
    }
  });

  test("a response has a generated request id unless a UUID was sent", async () => {
    for (const requestId of ["", "abc", `${randomUUID()}x`]) {
      const response = await anonymous.raw("GET", "/api/nothing", undefined, { "X-Request-Id": requestId });
      const generatedId = response.headers.get("x-request-id");
      expect(generatedId).toMatch(UUID);
      expect(generatedId).not.toBe(requestId);
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

  test("HEAD responds as GET, without the body", async () => {
    const { status, body } = await sendRaw("HEAD", "/api/properties", { Authorization: `Bearer ${a.token}` });
    expect([status, body]).toEqual([200, ""]);
  });
});
