/** Guarantees of every operation of the portals towards the other users of the same organization. New operations are covered automatically. */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect } from "@jest/globals";
import type { NamedOperation } from "@freehold/contract";
import type { Role } from "@freehold/contract/roles";
import { memberFixtureId, pathFixtureId, portalSubjects } from "../support/fixtures/fixture-ids.ts";
import { bodyReferences, sampleBody, sampleQuery, type IdOf } from "../support/samples.ts";
import { openSweepWorld, type SweepWorld } from "./sweep-world.ts";
import { authenticatedOperations, fillPath, idParams, operationsWithBody, requiresToken, send, sweep } from "./sweeping.ts";

let world: SweepWorld;

beforeAll(async () => {
  world = await openSweepWorld();
});

const inPortals = (operations: readonly NamedOperation[]) =>
  operations.flatMap((named) =>
    (named.operation.access === "public" ? [] : named.operation.access)
      .filter((role) => role in portalSubjects)
      .map((role): NamedOperation & { role: Role } => ({ ...named, role })),
  );

/** Returns a valid request of a portal user to the own records. */
function ownRequest(named: NamedOperation & { role: Role }) {
  const { rivalFixtures, rivals } = world;
  const fixtureId = memberFixtureId(rivalFixtures);
  const [resourceParam] = idParams(named);
  const idOf: IdOf = (name) => (name === resourceParam ? pathFixtureId(rivalFixtures, named.operation.path) : fixtureId(name));
  return {
    path: fillPath(named, idOf),
    query: sampleQuery(named.operation, fixtureId),
    body: sampleBody(named.operation, fixtureId) as Record<string, unknown> | undefined,
    token: rivals[named.role]!.token,
  };
}

/** Ids of an unknown record, a record of another portal user, and one of another organization, for a member or filter. */
const othersIds = (name: string): [string, ...string[]] => [randomUUID(), memberFixtureId(world.fixturesA)(name), memberFixtureId(world.fixturesB)(name)];

describe("an id of another portal user or of another organization, sent by a portal user", () => {
  const references = inPortals(operationsWithBody.filter(requiresToken)).flatMap((named) =>
    bodyReferences(named.operation).map(({ name, isList }) => ({ ...named, name, isList })),
  );
  sweep("in a body is refused like an unknown one", references, async ({ name, isList, ...named }) => {
    const responses = [];
    for (const id of othersIds(name)) {
      const { body, ...rest } = ownRequest(named);
      const { status, text } = await send(named, { ...rest, body: { ...body, [name]: isList ? [id] : id } });
      responses.push([status, text.replaceAll(id, "ID")]);
    }
    const [unknown] = responses;
    expect([400, 404]).toContain(unknown![0]);
    expect(responses).toEqual([unknown, unknown, unknown]);
  });

  const filters = inPortals(authenticatedOperations.filter(({ operation }) => operation.method === "GET" && operation.query)).flatMap((named) =>
    Object.keys(named.operation.query!.shape)
      .filter((name) => name.endsWith("Id"))
      .map((name) => ({ ...named, name })),
  );
  sweep("in a query finds what an unknown one finds", filters, async ({ name, ...named }) => {
    const responses = [];
    for (const id of othersIds(name)) {
      const { query, path, token } = ownRequest(named);
      const { status, text } = await send(named, { path, token, query: { ...query, [name]: id } });
      responses.push([status, text.replaceAll(id, "ID")]);
    }
    expect(responses).toEqual([responses[0], responses[0], responses[0]]);
  });
});

describe("a list as CSV", () => {
  const lists = inPortals(authenticatedOperations.filter(({ id, operation }) => id.startsWith("list") && operation.method === "GET")).filter(
    (named) => idParams(named).length === 0,
  );
  sweep("contains nothing of another portal user", lists, async (named) => {
    const { query, path, token } = ownRequest(named);
    const asJson = await send(named, { path, token, query });
    const asCsv = await send(named, { path, token, query, headers: { Accept: "text/csv" } });
    expect([asJson.status, asCsv.status]).toEqual([200, 200]);
    expect(Object.entries(world.fixturesA).filter(([, id]) => asCsv.text.includes(id) || asJson.text.includes(id))).toEqual([]);
  });
});
