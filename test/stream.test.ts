import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ErrorBody } from "@freehold/contract/errors";
import { Envelope, events } from "@freehold/contract/events";
import { Client } from "./support/client.ts";
import { anOffice, type Colleague, type Office } from "./support/office.ts";
import { running } from "./support/running.ts";
import { EventReader, ReconnectingReader, sequenceOf, type Frame, type StreamOptions } from "./support/events/stream.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "./support/tenancy.ts";
import { openTokenMint } from "./support/tokens.ts";
import { eventually } from "./support/eventually.ts";

const { baseUrl, dataDir } = running();
let office: Office;
let otherOffice: Office;
let tenancy: Tenancy;
let tenant: Colleague;
const openReaders: EventReader[] = [];
const tokens = new Set<string>();

beforeAll(async () => {
  [office, otherOffice] = await Promise.all([anOffice(), anOffice()]);
  tenancy = await aTenancy(office);
  tenant = await office.tenantUser(tenancy.tenantId);
});
afterAll(() => Promise.all(openReaders.map((reader) => reader.close())));

async function openStream(client: Client, options?: StreamOptions): Promise<EventReader> {
  tokens.add(client.token!);
  const reader = await EventReader.open(baseUrl, client.token!, options);
  openReaders.push(reader);
  await reader.waitForFrame("stream.ready", ({ event }) => event === "stream.ready");
  return reader;
}

let propertyCount = 0;
const aProperty = async (owner: Office = office) =>
  (
    await owner.call("createProperty", {
      body: { name: `House ${++propertyCount}`, streetLine1: "1 Elm Street", city: "Albany", state: "NY", postalCode: "12207", units: 1, occupiedUnits: 0 },
    })
  ).property.id;
const isOfEntity = (id: string) => (frame: Frame) => frame.data.entityId === id;

/** Creates a work order of a vendor on an owner's property, with an estimate that awaits the owner's approval. */
async function anEstimatedWorkOrder(ownerId: string, vendorId: string): Promise<string> {
  const propertyId = await aProperty();
  await office.call("updateProperty", { params: { id: propertyId }, body: { ownerIds: [ownerId], maintenanceLimitCents: 5_000 } });
  const { workOrder } = await office.call("createWorkOrder", { body: { propertyId, title: "The tap drips", vendorId } });
  await office.call("createWorkOrderEstimate", { params: { id: workOrder.id }, body: { amountCents: 10_000 } });
  return workOrder.id;
}

describe("the event stream", () => {
  test("begins with stream.ready and an id to resume after", async () => {
    const reader = await openStream(office);
    const [first] = reader.frames;
    expect(first).toMatchObject({ event: "stream.ready", id: expect.stringMatching(/^[0-9a-z]+-\d+$/), data: { sequence: expect.any(Number) } });
    expect(sequenceOf(first!)).toBe(first!.data["sequence"]);
  });

  test("sends a change with the documented members, without its audience", async () => {
    const reader = await openStream(office);
    const id = await aProperty();
    const { event, data } = await reader.waitForFrame("property.created", isOfEntity(id));
    expect(event).toBe("property.created");
    expect(Object.keys(data).toSorted()).toEqual(
      ["actorUserId", "data", "entityId", "entityType", "id", "occurredAt", "organizationId", "requestId", "type"].toSorted(),
    );
    expect(Envelope.omit({ audience: true }).safeParse(data).success).toBe(true);
    expect(data).toMatchObject({ type: "property.created", entityType: "property", organizationId: office.organizationId, actorUserId: office.userId });
    expect(events["property.created"].data.safeParse(data.data).success).toBe(true);
  });

  test("sends nothing to another organization", async () => {
    const otherReader = await openStream(otherOffice);
    const reader = await openStream(office);
    const id = await aProperty();
    const otherId = await aProperty(otherOffice);
    await Promise.all([reader.waitForFrame("own event", isOfEntity(id)), otherReader.waitForFrame("other organization's event", isOfEntity(otherId))]);
    expect(otherReader.events.filter(({ data }) => data.organizationId !== otherOffice.organizationId)).toEqual([]);
    expect(reader.events.filter(({ data }) => data.organizationId !== office.organizationId)).toEqual([]);
  });

  test("sends a tenant only the tenant's own events", async () => {
    const [tenantReader, officeReader] = await Promise.all([openStream(tenant), openStream(office)]);
    const neighbour = await aTenancy(office);
    const chargeId = await aCharge(office, tenancy.leaseId, 10_000);
    const neighboursCharge = await aCharge(office, neighbour.leaseId, 10_000);
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 10_000), allocations: [{ chargeId, amountCents: 10_000 }] } });
    const { payment: neighboursPayment } = await office.call("recordPayment", { body: aPayment(neighbour, 5_000) });
    const propertyId = await aProperty();
    const laterCharge = await aCharge(office, tenancy.leaseId, 10_000);
    await officeReader.waitForFrame("the office's last event", isOfEntity(laterCharge));
    await tenantReader.waitForFrame("payment.received", isOfEntity(payment.id));
    await tenantReader.waitForFrame("charge.posted", isOfEntity(chargeId));
    await tenantReader.waitForFrame("charge.posted after everything else", isOfEntity(laterCharge));
    const received = tenantReader.events.map(({ data }) => data);
    expect(received.filter(({ entityId }) => [neighboursCharge, neighboursPayment.id, propertyId, neighbour.leaseId].includes(entityId))).toEqual([]);
    for (const { type, data } of received) if (type !== "notification.created") expect([type, data["tenantId"]]).toEqual([type, tenancy.tenantId]);
    expect(JSON.stringify(received)).not.toMatch(/amount|cents|email|fullName/i);
  });

  test("sends an owner and a vendor no events of the office or of tenants", async () => {
    const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email: "olga@example.com" } });
    const { vendor } = await office.call("createVendor", { body: { name: "Vera Vendor" } });
    const portalUsers = await Promise.all([office.ownerUser(owner.id), office.vendorUser(vendor.id)]);
    const readers = await Promise.all(portalUsers.map((user) => openStream(user)));
    await aCharge(office, tenancy.leaseId, 10_000);
    await office.call("recordPayment", { body: aPayment(tenancy, 5_000) });
    const workOrderId = await anEstimatedWorkOrder(owner.id, vendor.id);
    for (const reader of readers) {
      await reader.waitForFrame("event after everything else", isOfEntity(workOrderId));
      expect(reader.events.filter(({ event, data }) => !["invite.accepted", "notification.created"].includes(event) && data.entityId !== workOrderId)).toEqual(
        [],
      );
    }
  });

  test("takes the access token in the header Authorization or in the query, and prefers the header", async () => {
    const statusOf = async (query: string, authorization?: string) => {
      const abort = new AbortController();
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      const { status } = await fetch(`${baseUrl}/api/events/stream${query}`, { headers, signal: abort.signal });
      abort.abort();
      return status;
    };
    expect(await statusOf("", `Bearer ${office.token}`)).toBe(200);
    expect(await statusOf(`?token=${office.token}`)).toBe(200);
    expect(await statusOf("?token=invalid", `Bearer ${office.token}`)).toBe(200);
    expect(await statusOf(`?token=${office.token}`, "Bearer invalid")).toBe(401);
    expect(await statusOf("")).toBe(401);
  });

  test("sends only the requested types", async () => {
    const reader = await openStream(office, { types: ["vendor.created", "owner.created"] });
    await aProperty();
    const { vendor } = await office.call("createVendor", { body: { name: "Vera Vendor" } });
    await reader.waitForFrame("vendor.created", isOfEntity(vendor.id));
    expect(new Set(reader.events.map(({ event }) => event))).toEqual(new Set(["vendor.created"]));
  });

  test("accepts types repeated or comma-separated, and refuses unknown ones, naming each of them and where the known ones are", async () => {
    const refusalOf = async (query: string) => {
      const response = await office.raw("GET", `/api/events/stream?token=${office.token}&${query}`);
      return [response.status, ErrorBody.parse(await response.json()).errors];
    };
    const unknown = (type: string) => ({
      path: "types",
      code: "enum",
      message: `"${type}" is not an event type. Use the values of EventType in /api/openapi.json, such as payment.received.`,
    });
    expect(await refusalOf("types=payment.recieved,lease.created,payments.*")).toEqual([400, [unknown("payment.recieved"), unknown("payments.*")]]);
    expect(await refusalOf("types=lease.created&types=toString")).toEqual([400, [unknown("toString")]]);
    expect(await refusalOf("types=")).toEqual([400, [unknown("")]]);
    const document = (await (await office.raw("GET", "/api/openapi.json")).json()) as { components: { schemas: Record<string, { enum?: string[] }> } };
    expect(document.components.schemas["EventType"]!.enum).toEqual(Object.keys(events));
  });

  test("resumes after the last id in the header or the query, without repeats", async () => {
    const firstReader = await openStream(office);
    const first = await aProperty();
    const { id: lastId } = await firstReader.waitForFrame("the first", isOfEntity(first));
    await firstReader.close();
    const second = await aProperty();
    const third = await aProperty();
    // The second and third events are stored before the streams below resume, so that these streams must replay them.
    await eventually("third event", async () => (await openStream(office, { lastEventId: lastId })).frames.some(isOfEntity(third)));
    for (const options of [{ lastEventId: lastId }, { lastEventIdInQuery: lastId }]) {
      const resumedReader = await openStream(office, options);
      await resumedReader.waitForFrame("the third", isOfEntity(third));
      // Events of an earlier test may still arrive.
      expect(resumedReader.events.filter(({ event }) => event === "property.created").map(({ data }) => data.entityId)).toEqual([second, third]);
    }
  });

  test("prefers the header to the query", async () => {
    const firstReader = await openStream(office);
    const first = await aProperty();
    const { id: oldId } = await firstReader.waitForFrame("the first", isOfEntity(first));
    const second = await aProperty();
    const { id: recentId } = await firstReader.waitForFrame("the second", isOfEntity(second));
    const third = await aProperty();
    const resumedReader = await openStream(office, { lastEventId: recentId, lastEventIdInQuery: oldId });
    await resumedReader.waitForFrame("the third", isOfEntity(third));
    // The ledger may publish events of overdue charges in between.
    expect(resumedReader.events.flatMap(({ data }) => (data.entityType === "property" ? [data.entityId] : []))).toEqual([third]);
  });

  test("loses and repeats no event for a client that reconnects under load", async () => {
    tokens.add(office.token!);
    const reader = new ReconnectingReader(baseUrl, () => office.token!, { types: ["vendor.created"] });
    await reader.ready();
    const vendorIds: string[] = [];
    let isWriting = true;
    const interruptions = (async () => {
      for (let count = 0; isWriting || reader.connectionCount <= 5; count++) {
        await sleep(40 + ((count * 37) % 120));
        await reader.interrupt();
      }
    })();
    await Promise.all(
      [1, 2, 3, 4].map(async () => {
        for (let n = 0; n < 40; n++) vendorIds.push((await office.call("createVendor", { body: { name: `Vendor ${n}` } })).vendor.id);
      }),
    );
    isWriting = false;
    await interruptions;
    const lastId = (await office.call("createVendor", { body: { name: "The last vendor" } })).vendor.id;
    vendorIds.push(lastId);
    await eventually("last event", () => reader.events.some(({ data }) => data.entityId === lastId));
    await reader.close();
    const ids = reader.events.map(({ data }) => data.entityId);
    expect(ids.toSorted()).toEqual(vendorIds.toSorted());
    const sequences = reader.events.map(sequenceOf);
    expect(sequences).toEqual([...new Set(sequences)].toSorted((one, two) => one - two));
    expect([reader.resetCount, reader.connectionCount > 5]).toEqual([0, true]);
  });

  test.each([
    ["one of another stream", "0-1", "stream_replaced"],
    ["invalid", "nonsense", "unknown_id"],
    ["newer than every event", (ready: string) => `${ready.split("-")[0]}-999999999`, "unknown_id"],
  ])("sends stream.reset with the reason when the id to resume after is %s, then live events", async (_, id, reason) => {
    const ready = (await openStream(office)).frames[0]!.id;
    const reader = await openStream(office, { lastEventId: typeof id === "string" ? id : id(ready) });
    const { data } = await reader.waitForFrame("stream.reset", ({ event }) => event === "stream.reset");
    expect(data).toEqual({ reason });
    const propertyId = await aProperty();
    await reader.waitForFrame("property.created", isOfEntity(propertyId));
  });

  test.each([
    ["without a token", "", "token_missing"],
    ["with an invalid token", "?token=garbage", "token_invalid"],
    ["with an invalid token and other errors", "?token=garbage&types=unknown&unknown=1", "token_invalid"],
  ])("responds 401 as JSON to a request %s", async (_, query, code) => {
    const response = await new Client(baseUrl).raw("GET", `/api/events/stream${query}`, undefined, { Accept: "text/event-stream" });
    expect([response.status, response.headers.get("content-type")]).toEqual([401, "application/json; charset=utf-8"]);
    expect(ErrorBody.parse(await response.json()).code).toBe(code);
  });

  test("sends stream.expiring before the token expires, and closes when it expires", async () => {
    const mint = await openTokenMint();
    const token = mint.genuine({ organizationId: office.organizationId, role: "admin", userId: office.userId, expiresInSeconds: 8 });
    const reader = await EventReader.open(baseUrl, token);
    openReaders.push(reader);
    await reader.waitForFrame("stream.expiring", ({ event }) => event === "stream.expiring");
    await reader.ended;
    const response = await new Client(baseUrl).raw("GET", `/api/events/stream?token=${token}`);
    expect([response.status, ((await response.json()) as ErrorBody).code]).toEqual([401, "token_expired"]);
  });

  test("closes when the user is deleted, deactivated or gets another role", async () => {
    const users = await Promise.all([office.colleague("manager"), office.colleague("manager"), office.colleague("staff")]);
    const readers = await Promise.all(users.map((user) => openStream(user)));
    const [deleted, deactivated, promoted] = users.map(({ userId }) => ({ id: userId })) as [{ id: string }, { id: string }, { id: string }];
    await Promise.all([
      office.call("deleteUser", { params: deleted }),
      office.call("updateUser", { params: deactivated, body: { isActive: false } }),
      office.call("updateUser", { params: promoted, body: { role: "manager" } }),
    ]);
    await Promise.all(readers.map(({ ended }) => ended));
  });

  test("sends heartbeats", async () => {
    const reader = await openStream(office);
    await eventually("heartbeat", () => reader.heartbeatCount > 0);
  });

  test("logs no token", async () => {
    await Promise.all([openStream(office), openStream(otherOffice), openStream(tenant)]);
    const logs = join(dataDir, "logs");
    const signatures = [...tokens].map((token) => token.split(".")[2]!);
    expect(signatures.length).toBeGreaterThanOrEqual(3);
    for (const file of readdirSync(logs)) {
      const text = readFileSync(join(logs, file), "utf8");
      expect([file, signatures.filter((signature) => text.includes(signature))]).toEqual([file, []]);
    }
  });
});
