/** Guarantees of every operation of the contract: authentication, authorization and isolation. New operations are covered automatically. */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { NamedOperation } from "@freehold/contract";
import { roleRequirement, roles, type Role } from "@freehold/contract/roles";
import { Client } from "../support/client.ts";
import type { Colleague, Office } from "../support/office.ts";
import { running } from "../support/running.ts";
import { bodyReferences, sampleBody, sampleQuery } from "../support/samples.ts";
import { openSweepWorld, type SweepWorld } from "./sweep-world.ts";
import {
  allOperations,
  anyId,
  authenticatedOperations,
  fillPath,
  idParams,
  isStream,
  operationsWithBody,
  operationsWithId,
  requiresToken,
  send,
  sweep,
} from "./sweeping.ts";
import { unsignedToken, type Claims } from "../support/tokens.ts";
import { memberFixtureId, pathFixtureId, portalSubjects } from "../support/fixtures/fixture-ids.ts";
import type { Fixtures } from "../support/world.ts";

const { baseUrl } = running();
const anonymous = new Client(baseUrl);
let mint: SweepWorld["mint"];
let a: Office;
let b: Office;
let fixturesA: Fixtures;
let fixturesB: Fixtures;
let rivals: SweepWorld["rivals"];
let tokenFor: SweepWorld["tokenFor"];
let validRequest: SweepWorld["validRequest"];

beforeAll(async () => {
  ({ mint, a, b, fixturesA, fixturesB, rivals, tokenFor, validRequest } = await openSweepWorld());
});

const portalRolesOf = ({ operation: { access } }: NamedOperation): Role[] => (access === "public" ? [] : access.filter((role) => role in portalSubjects));
/** Returns the token of another portal user of the same organization, with resources of the same kinds. */
const rivalToken = (role: Role) => rivals[role]!.token;

describe("without a token", () => {
  sweep("every operation responds 401 and names the authentication scheme", authenticatedOperations, async (named) => {
    const { status, error, headers } = await send(named, { body: sampleBody(named.operation) });
    expect([status, error?.code]).toEqual([401, "token_missing"]);
    expect(headers.get("www-authenticate")).toBe("Bearer");
  });

  sweep(
    "public operations do not require one",
    allOperations.filter((named) => !requiresToken(named)),
    async (named) => {
      const { error } = await send(named, { query: { surprise: "1" } });
      expect(error?.code).not.toBe("token_missing");
    },
  );
});

describe("with an invalid or expired token", () => {
  const claims = (): Claims => ({ organizationId: a.organizationId, role: "admin", userId: a.userId });
  const invalidTokens: [string, string, () => string][] = [
    ["garbage", "token_invalid", () => "garbage"],
    ["the claims of another role under the old signature", "token_invalid", () => withAdminRole(mint.genuine({ ...claims(), role: "staff" }))],
    ["a foreign signature under the real key's id", "token_invalid", () => mint.forged(claims())],
    ["an expired token", "token_expired", () => mint.genuine({ ...claims(), expiresInSeconds: -1 })],
    ["the algorithm none", "token_invalid", () => unsignedToken(claims())],
    ["another type of token", "token_invalid", () => mint.withHeader({ typ: "JWT" }, claims())],
    ["an unknown key", "token_invalid", () => mint.withHeader({ kid: "another" }, claims())],
    ["another issuer", "token_invalid", () => mint.genuine({ ...claims(), issuer: "https://example.com" })],
    ["another audience", "token_invalid", () => mint.genuine({ ...claims(), audience: "another" })],
  ];
  const withAdminRole = (token: string) => {
    const [header, payload, signature] = token.split(".") as [string, string, string];
    const changed = { ...(JSON.parse(Buffer.from(payload, "base64url").toString()) as object), role: "admin" };
    return [header, Buffer.from(JSON.stringify(changed)).toString("base64url"), signature].join(".");
  };

  test("the same claims in a valid token are accepted", async () => {
    const me = await new Client(baseUrl, mint.genuine(claims())).attempt("getMe");
    expect(me.status).toBe(200);
  });

  const attempts = () => invalidTokens.flatMap(([name, code, make]) => authenticatedOperations.map((named) => ({ ...named, name, code, token: make() })));
  sweep("every operation responds 401 to each kind of invalid token", attempts, async ({ code, token, ...named }) => {
    const { status, error } = await send(named, { body: sampleBody(named.operation), token });
    expect([status, error?.code]).toEqual([401, code]);
  });

  test("a token in the query is refused, except for the event stream", async () => {
    const response = await anonymous.raw("GET", `/api/properties?token=${a.token}`);
    expect(response.status).toBe(401);
  });
});

describe("a role that is not allowed", () => {
  const refusedRoles = authenticatedOperations.flatMap((named) =>
    roles.filter((role) => !named.operation.access.includes(role)).map((role) => ({ ...named, role })),
  );

  sweep("every operation responds 403 before it validates the request", refusedRoles, async ({ role, ...named }) => {
    const token = mint.genuine({ organizationId: a.organizationId, role, subjectId: fixturesA.tenant });
    const { status, error } = await send(named, { path: fillPath(named, () => "not-a-uuid"), query: { surprise: "1" }, body: { surprise: 1 }, token });
    expect(status).toBe(403);
    expect(error).toEqual({ message: roleRequirement(named.operation.access as readonly Role[], named.operation.summary), code: "role_forbidden" });
  });

  test("gets 403 with the tokens of users who accepted an invite, as with generated tokens", async () => {
    const users = await Promise.all([
      a.colleague("manager"),
      a.colleague("staff"),
      a.tenantUser(fixturesA.tenant),
      a.ownerUser(fixturesA.owner),
      a.vendorUser(fixturesA.vendor),
    ]);
    const [manager, staff, ...portal] = users as [Colleague, Colleague, ...Colleague[]];
    const responses = await Promise.all([
      manager.attempt("createUser"),
      staff.attempt("createProperty"),
      ...portal.map((user) => user.attempt("listProperties")),
      ...portal.map((user) => user.attempt("getMe")),
    ]);
    const officeOnly = "Only admins, managers or staff can list properties.";
    expect(responses.map(({ status, body }) => [status, body.message])).toEqual([
      [403, "Only admins can invite users."],
      [403, "Only admins or managers can create properties."],
      ...portal.map(() => [403, officeOnly]),
      ...portal.map(() => [200, undefined]),
    ]);
  });
});

describe("an id in the path", () => {
  sweep("that is not a UUID is refused with the name of the parameter", operationsWithId, async (named) => {
    for (const wrong of ["not-a-uuid", "1", "00000000-0000-0000-0000-00000000000g", "'", "%00"]) {
      const { status, error } = await send(named, { ...validRequest(named), path: fillPath(named, () => wrong) });
      expect([status, error?.code, error?.errors?.map(({ path }) => path)]).toEqual([400, "validation_failed", idParams(named)]);
    }
  });

  sweep("that does not exist gets 404", operationsWithId, async (named) => {
    const { status, error } = await send(named, { ...validRequest(named), path: fillPath(named, anyId) });
    expect([status, error?.code]).toEqual([404, "not_found"]);
  });

  sweep("of another organization gets the same response as one that does not exist", operationsWithId, async (named) => {
    const unknown = await send(named, { ...validRequest(named), path: fillPath(named, anyId) });
    const foreign = await send(named, { ...validRequest(named), path: fillPath(named, () => pathFixtureId(fixturesB, named.operation.path)) });
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
  });

  sweep(
    "of the caller's organization returns 200",
    operationsWithId.filter(({ operation }) => operation.method === "GET"),
    async (named) => {
      const path = fillPath(named, () => pathFixtureId(fixturesB, named.operation.path));
      const { status } = await send(named, { path, query: sampleQuery(named.operation, memberFixtureId(fixturesB)), token: tokenFor(named, b, fixturesB) });
      expect(status).toBe(200);
    },
  );

  const portalCases = operationsWithId.flatMap((named) => portalRolesOf(named).map((role) => ({ ...named, role })));
  sweep("of another portal user gets the same response as one that does not exist", portalCases, async ({ role, ...named }) => {
    const token = rivalToken(role);
    const unknown = await send(named, { ...validRequest(named), path: fillPath(named, anyId), token });
    const foreign = await send(named, { ...validRequest(named), token });
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
  });
});

describe("an id in the body", () => {
  const references = operationsWithBody
    .filter(requiresToken)
    .flatMap((named) => bodyReferences(named.operation).map(({ name, isList }) => ({ ...named, name, isList })));
  // createRecurringCharge needs exactly one of two references, so the other is removed.
  const alternatives: Record<string, string> = { unitId: "leaseId" };

  sweep("of another organization is refused like an unknown one", references, async ({ name, isList, ...named }) => {
    const responses = await Promise.all(
      [randomUUID(), memberFixtureId(fixturesB)(name)].map((id) => {
        const { body, ...rest } = validRequest(named);
        const changed: Record<string, unknown> = { ...(body as object), [name]: isList ? [id] : id };
        if (named.id === "createRecurringCharge") delete changed[alternatives[name] ?? ""];
        return send(named, { ...rest, body: changed });
      }),
    );
    const [unknown, foreign] = responses as [(typeof responses)[0], (typeof responses)[0]];
    expect([foreign.status, foreign.error?.errors?.map(({ path, code }) => [path.split(".")[0], code])]).toEqual([400, [[name, "not_found"]]]);
    expect(foreign.text).toBe(unknown.text);
  });
});

describe("a list", () => {
  const lists = allOperations.filter(
    (named) => requiresToken(named) && named.operation.method === "GET" && !isStream(named) && idParams(named).length === 0 && !named.operation.contentType,
  );

  sweep("contains nothing of another organization", lists, async (named) => {
    const { status, text } = await send(named, { ...validRequest(named), headers: {} });
    expect(status).toBe(200);
    expect(Object.values({ ...fixturesB, organization: b.organizationId, admin: b.userId }).filter((id) => text.includes(id))).toEqual([]);
  });

  const portalLists = allOperations
    .filter(({ id, operation: { query } }) => id.startsWith("list") && (query?.safeParse({}).success ?? true))
    .flatMap((named) => portalRolesOf(named).map((role) => ({ ...named, role })))
    .filter((named) => idParams(named).length === 0);
  sweep("contains nothing of another portal user", portalLists, async ({ role, ...named }) => {
    const { status, text } = await send(named, { ...validRequest(named), query: {}, token: rivalToken(role) });
    expect(status).toBe(200);
    expect(Object.entries(fixturesA).filter(([, id]) => text.includes(id))).toEqual([]);
  });

  sweep(
    "finds nothing by another organization's ids",
    lists.filter(({ operation }) => operation.query),
    async (named) => {
      const filters = Object.keys(named.operation.query!.shape).filter((name) => name.endsWith("Id"));
      for (const filter of filters) {
        const { status, text } = await send(named, {
          ...validRequest(named),
          query: { ...sampleQuery(named.operation, memberFixtureId(fixturesA)), [filter]: memberFixtureId(fixturesB)(filter) },
        });
        expect([200, 400, 404]).toContain(status);
        const others = Object.values(fixturesB).filter((id) => id !== memberFixtureId(fixturesB)(filter) && text.includes(id));
        expect([filter, others]).toEqual([filter, []]);
      }
    },
  );
});
