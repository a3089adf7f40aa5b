/** Access from the internal network: a service refuses requests that are not signed by a process that calls it. */
import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { NamedOperation } from "@freehold/contract";
import { ASSERTION_HEADER, createAssertions, type Assertions } from "@freehold/kit/auth/assertion";
import { readProcessKeys } from "@freehold/kit/auth/keys";
import type { Principal } from "@freehold/kit/auth/principal";
import { grpcClient } from "@freehold/kit/rpc/grpc";
import { CommunicationsServiceClient, CommunicationsServiceService } from "../proto/gen/freehold/communications/v1/communications.ts";
import { IdentityServiceClient, IdentityServiceService } from "../proto/gen/freehold/identity/v1/identity.ts";
import { LedgerServiceClient, LedgerServiceService } from "../proto/gen/freehold/ledger/v1/ledger.ts";
import { PortfolioServiceClient, PortfolioServiceService } from "../proto/gen/freehold/portfolio/v1/portfolio.ts";
import { grpcTargets } from "../deploy/kubernetes/processes.ts";
import type { ProcessName } from "../deploy/system/secrets.ts";
import { keysOf } from "./support/events/messages.ts";
import { anOffice, type Office } from "./support/office.ts";
import { running } from "./support/running.ts";
import { sampleBody } from "./support/samples.ts";
import { anyId, authenticatedOperations, fillPath, sweep } from "./sweeps/sweeping.ts";

const { ports, grpcAddresses } = running();
let office: Office;
let admin: Principal;
beforeAll(async () => {
  office = await anOffice();
  admin = { organizationId: office.organizationId, userId: office.userId, role: "admin", subjectId: null, timezone: "UTC" };
});

/** Signs as a process with a key that is not that process's. */
function forgedAssertions(process: string): Assertions {
  const { privateKey } = generateKeyPairSync("ed25519");
  return createAssertions(readProcessKeys(process, privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"), {}));
}
const unknownProcess = forgedAssertions("unknown");
const withoutAssertion: Assertions = { ...unknownProcess, sign: () => Promise.resolve("") };
/** Signs with the key of a process. */
const genuineAssertions = (name: ProcessName): Assertions => createAssertions(keysOf(name, running().dataDir));
const invalidAssertions = {
  "no assertion": withoutAssertion,
  "an assertion with a foreign key in the gateway's name": forgedAssertions("gateway"),
  "an assertion of an unknown process": unknownProcess,
};

const refusal = '{"message":"Something went wrong on our side. Try again later.","code":"internal"}';

describe("the HTTP port of a service", () => {
  const services = {
    "an assertion of imports, which calls by gRPC only": genuineAssertions("imports"),
    "an assertion of portfolio": genuineAssertions("portfolio"),
  };
  const cases = () =>
    authenticatedOperations
      .filter(({ service }) => service !== "gateway")
      .flatMap((named) => Object.entries({ ...invalidAssertions, ...services }).map(([name, assertions]) => ({ ...named, name, assertions })));

  sweep("refuses every operation that requires a caller, also with an access token", cases, async ({ assertions, ...named }) => {
    const response = await callDirectly(named, { [ASSERTION_HEADER]: await assertions.sign({ principal: admin }), Authorization: `Bearer ${office.token}` });
    expect([response.status, await response.text()]).toEqual([500, refusal]);
  });

  /** Sends a request to the service that owns an operation, past the gateway. */
  function callDirectly(named: NamedOperation, headers: Record<string, string>): Promise<Response> {
    const { method } = named.operation;
    const body = method === "GET" ? null : JSON.stringify(sampleBody(named.operation) ?? {});
    const origin = `http://127.0.0.1:${ports[named.service]}`;
    return fetch(`${origin}${fillPath(named, anyId)}`, { method, body, headers: { ...headers, ...(body && { "Content-Type": "application/json" }) } });
  }
});

describe("the gRPC port of a service", () => {
  const clientsOf = (assertions: Assertions) => ({
    identity: grpcClient(IdentityServiceClient, grpcAddresses.identity, assertions),
    portfolio: grpcClient(PortfolioServiceClient, grpcAddresses.portfolio, assertions),
    ledger: grpcClient(LedgerServiceClient, grpcAddresses.ledger, assertions),
    communications: grpcClient(CommunicationsServiceClient, grpcAddresses.communications, assertions),
  });
  const definitions = {
    identity: IdentityServiceService,
    portfolio: PortfolioServiceService,
    ledger: LedgerServiceService,
    communications: CommunicationsServiceService,
  };
  type Call = (caller: { principal: Principal; requestId: null }, request: unknown) => Promise<unknown>;
  const clients = Object.entries({
    ...invalidAssertions,
    "an assertion with a foreign key in the ledger's name": forgedAssertions("ledger"),
    "an assertion of the gateway": genuineAssertions("gateway"),
  }).map(([name, assertions]) => ({
    name,
    byService: clientsOf(assertions) as unknown as Record<string, Record<string, Call> & { close(): void }>,
  }));
  afterAll(() => {
    for (const { byService } of clients) for (const client of Object.values(byService)) client.close();
  });

  const cases = Object.entries(definitions).flatMap(([service, definition]) =>
    Object.entries(definition).flatMap(([method, { requestDeserialize }]) =>
      clients.map(({ name, byService }) => ({
        id: `${service} ${method}`,
        name,
        client: byService[service]!,
        method,
        emptyRequest: requestDeserialize(Buffer.alloc(0)),
      })),
    ),
  );

  sweep("refuses every call", cases, async ({ client, method, emptyRequest }) => {
    await expect(client[method]!({ principal: admin, requestId: null }, emptyRequest)).rejects.toMatchObject({ status: 500 });
  });

  const readings = { identity: "getOrganization", portfolio: "getProperties", ledger: "getTenantBalances", communications: "sendMessages" } as const;
  const callers = Object.keys(grpcTargets) as (keyof typeof grpcTargets)[];

  test.each(callers)("answers %s at the services that it calls, and refuses it at the others", async (name) => {
    const byService = clientsOf(genuineAssertions(name)) as unknown as Record<string, Record<string, Call> & { close(): void }>;
    const answering: string[] = [];
    for (const [service, method] of Object.entries(readings)) {
      const emptyRequest = definitions[service as keyof typeof definitions][method as never]["requestDeserialize"] as (bytes: Buffer) => unknown;
      const call = byService[service]![method]!({ principal: admin, requestId: null }, emptyRequest(Buffer.alloc(0)));
      if (await call.then(Boolean, () => false)) answering.push(service);
    }
    for (const client of Object.values(byService)) client.close();
    expect(answering.toSorted()).toEqual(grpcTargets[name].toSorted());
  });
});
