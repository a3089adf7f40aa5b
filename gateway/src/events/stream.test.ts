/** Event streams over real connections, of a hub and an authenticator that the tests control. */
import { afterAll, expect, test } from "@jest/globals";
import type { Envelope } from "@freehold/contract/events";
import { createLogger } from "@freehold/kit/observability/log";
import express from "express";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { eventually } from "../../../test/support/eventually.ts";
import type { Caller } from "../auth/authenticate.ts";
import type { Hub, Listener } from "./hub.ts";
import { createPeers } from "./peers.ts";
import { eventStreams } from "./stream.ts";
import type { StreamedEvent } from "./streamed-event.ts";

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const principal = { organizationId: "organization", userId: "user", role: "manager", subjectId: null, timezone: "UTC", accessVersion: 1 } as const;

function anEvent(sequence: number, data: Record<string, unknown>): StreamedEvent {
  const audience = { roles: ["manager"], tenantIds: [], ownerIds: [], vendorIds: [], userIds: [] };
  const event = { entityId: principal.userId, organizationId: principal.organizationId, type: "user.updated", data, audience } as unknown as Envelope;
  return { sequence, event, frameFor: () => `id: epoch-${sequence}\ndata: ${"x".repeat(10_000)}\n\n` };
}

/** Serves streams that replay ten megabytes to every client. */
async function serveStreams(limits = { perUser: 0, perOrganization: 0 }) {
  const listeners = new Set<Listener>();
  const missed = Array.from({ length: 1_000 }, (_, index) => anEvent(index + 1, {}));
  const hub = {
    epoch: "epoch",
    position: missed.length,
    isReading: true,
    bufferedEventsAfter: () => missed,
    isReused: () => false,
    add: (listener: Listener) => void listeners.add(listener),
    remove: (listener: Listener) => void listeners.delete(listener),
  } as unknown as Hub;
  const callerWith = (token: string | undefined): Caller => ({
    principal: token === "tenant" ? { ...principal, userId: "tenant", role: "tenant" } : principal,
    expiresAtMs: Date.now() + 900_000,
  });
  const streams = eventStreams({
    authenticator: { authenticate: (token) => Promise.resolve(callerWith(token)) },
    events: () => ({ hub }) as never,
    limits,
    rateLimiter: undefined,
    peers: createPeers(),
    log: createLogger("test", "silent"),
  });
  const server = createServer(express().get("/", streams.handler)).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return { listeners, streams, port: (server.address() as AddressInfo).port };
}

test("a stream whose client reads a long replay slowly ends with its access", async () => {
  const { listeners, streams, port } = await serveStreams();
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  socket.write("GET /?token=token&lastEventId=epoch-0 HTTP/1.1\r\nHost: freehold.example\r\n\r\n");
  await once(socket, "readable");
  await eventually("the stream is open", () => listeners.size === 1);
  const [listener] = listeners;
  // Control: a change without a later version ends nothing.
  listener!.receive(anEvent(2_000, { accessVersion: 1 }));
  expect(streams.count()).toBe(1);
  listener!.receive(anEvent(2_001, { accessVersion: 2 }));
  await eventually("the stream has ended", () => streams.count() === 0);
  socket.destroy();
});

test("the portal users of an organization do not take the streams of its office", async () => {
  const { port, streams } = await serveStreams({ perUser: 0, perOrganization: 1 });
  const open = async (token: string): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${port}/?token=${token}`);
    if (response.status !== 200) await response.body?.cancel();
    return response.status;
  };
  expect([await open("tenant"), await open("tenant"), await open("office"), await open("office")]).toEqual([200, 429, 200, 429]);
  expect(streams.count()).toBe(2);
});
