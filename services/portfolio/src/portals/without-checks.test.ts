/**
 * Row-level security alone: every operation of portfolio with its checks of the caller taken out. The services take the caller for an
 * admin, and only the settings of the statements, here and in the services that portfolio calls, are those of a portal user.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { paramsOf, type Operation } from "@freehold/contract/operation";
import { portalRoles, type PortalRole } from "@freehold/contract/roles";
import { createAssertions } from "@freehold/kit/auth/assertion";
import { portalUserOf, type Principal } from "@freehold/kit/auth/principal";
import { openDatabase } from "@freehold/kit/db/database";
import { OrgDb } from "@freehold/kit/db/org-db";
import type { Routes } from "@freehold/kit/http/routes";
import { keysOf } from "../../../../test/support/events/messages.ts";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { queryVariants, sampleBody } from "../../../../test/support/samples.ts";
import { memberFixtureId, pathFixtureId } from "../../../../test/support/fixtures/fixture-ids.ts";
import { createFixtures, type Fixtures } from "../../../../test/support/world.ts";
import { principalOf } from "../../test/clients.ts";
import { createClients, type Clients } from "../clients.ts";
import { database as definition } from "../database.ts";
import { documentLinks } from "../documents/document-link.rules.ts";
import { createInviteTokens } from "../people/invites/invite-token.rules.ts";
import { createTaxIdEncryptor } from "../people/tax-ids/tax-id.rules.ts";
import { portfolioRoutes } from "../portfolio.ts";

const { databaseUrls, dataDir, grpcAddresses } = running();
const database = await openDatabase(definition, databaseUrls.portfolio.service, 6);
let office: Office;
let own: Fixtures;
let neighbour: Fixtures;
let foreign: Fixtures;

beforeAll(async () => {
  const [first, second] = await Promise.all([anOffice(), anOffice()]);
  office = first;
  [own, neighbour, foreign] = await Promise.all([createFixtures(office), createFixtures(office), createFixtures(second)]);
});
afterAll(() => database.close());

/** Returns the clients with the principal of the portal user in each call. */
function clientsOf(principal: Principal): Clients {
  const clients = createClients(grpcAddresses, createAssertions(keysOf("portfolio", dataDir)), 10_000);
  type Call = (db: OrgDb, request: unknown) => Promise<unknown>;
  const withPrincipal =
    (call: Call): Call =>
    (db, request) =>
      call(new OrgDb(db.database, principal, db.request), request);
  const ofPortalUser = <C extends object>(client: C): C =>
    new Proxy(client, { get: (target, method) => withPrincipal((target as Record<string | symbol, Call>)[method]!.bind(target)) });
  const { identity, ledger, communications, callOptionally, loadLeaseBalances, startLeaseBilling, startImportedBilling } = clients;
  return {
    callOptionally,
    identity: ofPortalUser(identity),
    ledger: ofPortalUser(ledger),
    communications: ofPortalUser(communications),
    loadLeaseBalances: withPrincipal(loadLeaseBalances as Call) as Clients["loadLeaseBalances"],
    startLeaseBilling: withPrincipal(startLeaseBilling as Call) as Clients["startLeaseBilling"],
    startImportedBilling: withPrincipal(startImportedBilling as Call) as Clients["startImportedBilling"],
  };
}

/** Caller of the operations: an admin for the services, a portal user or, with `hasOfficeReach`, the office for the database. */
function openCaller(role: PortalRole, { hasOfficeReach = false } = {}) {
  const admin = principalOf(office);
  const principal: Principal = hasOfficeReach ? admin : { ...admin, userId: randomUUID(), role, subjectId: own[role] };
  const store = new Proxy({}, { get: () => () => Promise.reject(new Error("There is no file store.")) }) as never;
  const documents = { store, links: documentLinks("secret"), findQuota: () => Promise.resolve(undefined) as never, uploadDir: undefined };
  const dependencies = { clients: clientsOf(principal), database, encryptTaxId: createTaxIdEncryptor(randomBytes(32)), tokens: createInviteTokens("secret") };
  return {
    routes: portfolioRoutes({ ...dependencies, documents, publicUrl: "https://freehold.example" }),
    newDb: () => new OrgDb(database, admin, { requestId: null }, portalUserOf(principal)),
  };
}

interface NamedHandler {
  id: string;
  operation: Operation;
  handler: (context: object) => Promise<unknown>;
}
const handlersOf = (routes: readonly Routes[]): NamedHandler[] =>
  routes.flatMap(({ area, handlers }) =>
    Object.entries(area.operations).flatMap(([id, operation]) =>
      operation.access === "public" || operation.alwaysFails || operation.uploads ? [] : [{ id, operation, handler: handlers[id] as NamedHandler["handler"] }],
    ),
  );

const pagingMembers = ["page", "pageSize", "sortBy", "sortDirection"];

/** Returns the valid requests that name the records of the fixtures wherever an operation takes an id. */
function requestsOf(operation: Operation, fixtures: Fixtures): object[] {
  const names = Object.keys(paramsOf(operation)?.shape ?? {});
  const idOf = memberFixtureId(fixtures);
  const params = Object.fromEntries(names.map((name, index) => [name, index === 0 ? pathFixtureId(fixtures, operation.path) : idOf(name)]));
  const body = operation.body?.parse(sampleBody(operation, idOf));
  const variants = queryVariants(operation, idOf).filter((query, index) => index === 0 || !pagingMembers.some((name) => name in query));
  return variants.map((query) => ({ params, query: operation.query?.parse(query) ?? {}, body, headers: {}, requestId: null }));
}

const isRead = ({ operation }: NamedHandler): boolean => operation.method === "GET";

describe.each(portalRoles)("a %s", (role) => {
  /** Sends every read with the ids of the fixtures and returns the responses as JSON, by operation. */
  async function readAll(caller: ReturnType<typeof openCaller>, fixtures: Fixtures): Promise<[string, string][]> {
    const responses: [string, string][] = [];
    for (const { id, operation, handler } of handlersOf(caller.routes).filter(isRead))
      for (const request of requestsOf(operation, fixtures)) {
        const response = await handler({ ...request, db: caller.newDb(), req: {}, res: {} }).catch(() => undefined);
        if (response !== undefined) responses.push([id, JSON.stringify(response)]);
      }
    return responses;
  }
  const leaksIn = (responses: readonly [string, string][], fixtures: Fixtures): string[] =>
    responses.flatMap(([id, text]) => Object.entries(fixtures).flatMap(([kind, recordId]) => (text.includes(recordId) ? [`${id}: ${kind}`] : [])));

  test("is shown no record of another portal user or organization by any read", async () => {
    const caller = openCaller(role);
    for (const fixtures of [neighbour, foreign]) {
      const responses = await readAll(caller, fixtures);
      expect(leaksIn(responses, fixtures)).toEqual([]);
      // Reads that fail altogether would pass without proving anything.
      expect(responses.map(([id]) => id)).toEqual(
        expect.arrayContaining(["listProperties", "listLeases", "listTenants", "listWorkOrders", "listDocuments", "search"]),
      );
    }
    expect(leaksIn(await readAll(caller, own), own).map((leak) => leak.split(":")[0])).toContain("listWorkOrders");
  });

  test("would be shown them with the reach of the office", async () => {
    const leaks = leaksIn(await readAll(openCaller(role, { hasOfficeReach: true }), neighbour), neighbour);
    expect(leaks).toEqual(expect.arrayContaining(["listTenants: tenant", "getLease: lease", "listDocuments: document", "getWorkOrder: workOrder"]));
  });

  test("changes no record of another portal user or organization", async () => {
    expect([await writeAll(openCaller(role), neighbour), await writeAll(openCaller(role), foreign)]).toEqual([[], []]);
  });
});

/** Sends every write with the ids of the fixtures and returns the operations that succeed. */
async function writeAll({ routes, newDb }: ReturnType<typeof openCaller>, fixtures: Fixtures): Promise<string[]> {
  const succeeded: string[] = [];
  for (const { id, operation, handler } of handlersOf(routes).filter((named) => !isRead(named)))
    for (const request of requestsOf(operation, fixtures))
      await handler({ ...request, db: newDb(), req: {}, res: {} }).then(
        () => succeeded.push(id),
        () => undefined,
      );
  return succeeded;
}

test("the same writes succeed with the reach of the office", async () => {
  const succeeded = await writeAll(openCaller("tenant", { hasOfficeReach: true }), await createFixtures(office));
  expect(succeeded).toEqual(expect.arrayContaining(["updateProperty", "updateTenant", "createWorkOrder", "updateWorkOrder", "createNote", "updateDocument"]));
});
