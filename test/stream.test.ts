import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ErrorBody } from "@freehold/contract/errors";
import { Envelope, events } from "@freehold/contract/events";
import { Client } from "./support/client.ts";
import { anOffice, type Colleague, type Office } from "./support/office.ts";
import { running } from "./support/running.ts";
import { EventReader, ReconnectingReader, sequenceOf, type Frame, type StreamOptions } from "./support/stream.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "./support/tenancy.ts";
import { openTokenMint } from "./support/tokens.ts";
import { eventually } from "./support/world.ts";

const { baseUrl, dataDir } = running();
let office: Office;
let otherOffice: Office;
let tenancy: Tenancy;
let tenant: Colleague;
const opened: EventReader[] = [];
const tokens = new Set<string>();

beforeAll(async () => {
  [office, otherOffice] = await Promise.all([anOffice(), anOffice()]);
  tenancy = await aTenancy(office);
  tenant = await office.tenantUser(tenancy.tenantId);
});
afterAll(() => Promise.all(opened.map((reader) => reader.close())));

async function watch(who: Client, options?: StreamOptions): Promise<EventReader> {
  tokens.add(who.token!);
  const reader = await EventReader.open(baseUrl, who.token!, options);
  opened.push(reader);
  await reader.waitForFrame("stream.ready", ({ event }) => event === "stream.ready");
  return reader;
}

let count = 0;
const aProperty = async (who: Office = office) =>
  (
    await who.call("createProperty", {
      body: { name: `House ${++count}`, streetLine1: "1 Elm Street", city: "Albany", state: "NY", postalCode: "12207", units: 1, occupiedUnits: 0 },
    })
  ).property.id;
const isAbout = (id: string) => (frame: Frame) => frame.data.entityId === id;

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
    const reader = await watch(office);
    const [first] = reader.frames;
    expect(first).toMatchObject({ event: "stream.ready", id: expect.stringMatching(/^[0-9a-z]+-\d+$/), data: { sequence: expect.any(Number) } });
    expect(sequenceOf(first!)).toBe(first!.data["sequence"]);
  });

  test("sends a change with the documented members, without its audience", async () => {
    const reader = await watch(office);
    const id = await aProperty();
    const { event, data } = await reader.waitForFrame("property.created", isAbout(id));
    expect(event).toBe("property.created");
    expect(Object.keys(data).toSorted()).toEqual(
      ["actorUserId", "data", "entityId", "entityType", "id", "occurredAt", "organizationId", "requestId", "type"].toSorted(),
    );
    expect(Envelope.omit({ audience: true }).safeParse(data).success).toBe(true);
    expect(data).toMatchObject({ type: "property.created", entityType: "property", organizationId: office.organizationId, actorUserId: office.userId });
    expect(events["property.created"].data.safeParse(data.data).success).toBe(true);
  });

  test("sends nothing to another organization", async () => {
    const theirs = await watch(otherOffice);
    const ours = await watch(office);
    const id = await aProperty();
    const their = await aProperty(otherOffice);
    await Promise.all([ours.waitForFrame("our event", isAbout(id)), theirs.waitForFrame("their event", isAbout(their))]);
    expect(theirs.events.filter(({ data }) => data.organizationId !== otherOffice.organizationId)).toEqual([]);
    expect(ours.events.filter(({ data }) => data.organizationId !== office.organizationId)).toEqual([]);
  });

  test("sends a tenant only the tenant's own events", async () => {
    const [mine, ours] = await Promise.all([watch(tenant), watch(office)]);
    const neighbour = await aTenancy(office);
    const chargeId = await aCharge(office, tenancy.leaseId, 10_000);
    const others = await aCharge(office, neighbour.leaseId, 10_000);
    const { payment } = await office.call("recordPayment", { body: { ...aPayment(tenancy, 10_000), allocations: [{ chargeId, amountCents: 10_000 }] } });
    const { payment: foreign } = await office.call("recordPayment", { body: aPayment(neighbour, 5_000) });
    const last = await aProperty();
    const laterCharge = await aCharge(office, tenancy.leaseId, 10_000);
    await ours.waitForFrame("the office's last event", isAbout(laterCharge));
    await mine.waitForFrame("payment.received", isAbout(payment.id));
    await mine.waitForFrame("charge.posted", isAbout(chargeId));
    await mine.waitForFrame("charge.posted after everything else", isAbout(laterCharge));
    const seen = mine.events.map(({ data }) => data);
    expect(seen.filter(({ entityId }) => [others, foreign.id, last, neighbour.leaseId].includes(entityId))).toEqual([]);
    for (const { type, data } of seen) if (type !== "notification.created") expect([type, data["tenantId"]]).toEqual([type, tenancy.tenantId]);
    expect(JSON.stringify(seen)).not.toMatch(/amount|cents|email|fullName/i);
  });

  test("sends an owner and a vendor no events of the office or of tenants", async () => {
    const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email: "olga@example.com" } });
    const { vendor } = await office.call("createVendor", { body: { name: "Vera Vendor" } });
    const people = await Promise.all([office.ownerUser(owner.id), office.vendorUser(vendor.id)]);
    const theirs = await Promise.all(people.map((who) => watch(who)));
    await aCharge(office, tenancy.leaseId, 10_000);
    await office.call("recordPayment", { body: aPayment(tenancy, 5_000) });
    const workOrderId = await anEstimatedWorkOrder(owner.id, vendor.id);
    for (const reader of theirs) {
      await reader.waitForFrame("event after everything else", isAbout(workOrderId));
      expect(reader.events.filter(({ event, data }) => !["invite.accepted", "notification.created"].includes(event) && data.entityId !== workOrderId)).toEqual(
        [],
      );
    }
  });

  test("sends only the requested types", async () => {
    const reader = await watch(office, { types: ["vendor.created", "owner.created"] });
    await aProperty();
    const { vendor } = await office.call("createVendor", { body: { name: "Vera Vendor" } });
    await reader.waitForFrame("vendor.created", isAbout(vendor.id));
    expect(new Set(reader.events.map(({ event }) => event))).toEqual(new Set(["vendor.created"]));
  });

  test("resumes after the last id in the header or the query, without repeats", async () => {
    const before = await watch(office);
    const first = await aProperty();
    const { id: lastId } = await before.waitForFrame("the first", isAbout(first));
    await before.close();
    const second = await aProperty();
    const third = await aProperty();
    await eventually("third event", async () => (await watch(office, { lastEventId: lastId })).frames.length > 2);
    for (const options of [{ lastEventId: lastId }, { lastEventIdInQuery: lastId }]) {
      const after = await watch(office, options);
      await after.waitForFrame("the third", isAbout(third));
      // Events of an earlier test may still arrive.
      expect(after.events.filter(({ event }) => event === "property.created").map(({ data }) => data.entityId)).toEqual([second, third]);
    }
  });

  test("prefers the header to the query", async () => {
    const before = await watch(office);
    const first = await aProperty();
    const { id: old } = await before.waitForFrame("the first", isAbout(first));
    const second = await aProperty();
    const { id: recent } = await before.waitForFrame("the second", isAbout(second));
    const third = await aProperty();
    const after = await watch(office, { lastEventId: recent, lastEventIdInQuery: old });
    await after.waitForFrame("the third", isAbout(third));
    // The ledger may publish events of overdue charges in between.
    expect(after.events.flatMap(({ data }) => (data.entityType === "property" ? [data.entityId] : []))).toEqual([third]);
  });

  test("loses and repeats nothing over reconnects under load", async () => {
    tokens.add(office.token!);
    const reader = new ReconnectingReader(baseUrl, () => office.token!, { types: ["vendor.created"] });
    await reader.ready();
    const made: string[] = [];
    let isWriting = true;
    const interrupting = (async () => {
      for (let times = 0; isWriting || reader.connectionCount <= 5; times++) {
        await sleep(40 + ((times * 37) % 120));
        await reader.interrupt();
      }
    })();
    await Promise.all(
      [1, 2, 3, 4].map(async () => {
        for (let n = 0; n < 40; n++) made.push((await office.call("createVendor", { body: { name: `Vendor ${n}` } })).vendor.id);
      }),
    );
    isWriting = false;
    await interrupting;
    const last = (await office.call("createVendor", { body: { name: "The last vendor" } })).vendor.id;
    made.push(last);
    await eventually("last event", () => reader.events.some(({ data }) => data.entityId === last));
    await reader.close();
    const ids = reader.events.map(({ data }) => data.entityId);
    expect(ids.toSorted()).toEqual(made.toSorted());
    const sequences = reader.events.map(sequenceOf);
    expect(sequences).toEqual([...new Set(sequences)].toSorted((one, two) => one - two));
    expect([reader.resetCount, reader.connectionCount > 5]).toEqual([0, true]);
  });

  test.each([
    ["of another stream", "0-1"],
    ["that is invalid", "nonsense"],
    ["from the future", (ready: string) => `${ready.split("-")[0]}-999999999`],
  ])("answers stream.reset to an id %s, and goes on live", async (_, id) => {
    const ready = (await watch(office)).frames[0]!.id;
    const reader = await watch(office, { lastEventId: typeof id === "string" ? id : id(ready) });
    await reader.waitForFrame("stream.reset", ({ event }) => event === "stream.reset");
    const made = await aProperty();
    await reader.waitForFrame("property.created", isAbout(made));
  });

  test.each([
    ["without a token", "", "token_missing"],
    ["with a bad one", "?token=garbage", "token_invalid"],
  ])("answers 401 as JSON %s", async (_, query, code) => {
    const response = await new Client(baseUrl).raw("GET", `/api/events/stream${query}`, undefined, { Accept: "text/event-stream" });
    expect([response.status, response.headers.get("content-type")]).toEqual([401, "application/json; charset=utf-8"]);
    expect(ErrorBody.parse(await response.json()).code).toBe(code);
  });

  test("warns before the token expires and closes when it expires", async () => {
    const mint = await openTokenMint();
    const token = mint.genuine({ organizationId: office.organizationId, role: "admin", userId: office.userId, expiresInSeconds: 8 });
    const reader = await EventReader.open(baseUrl, token);
    opened.push(reader);
    await reader.waitForFrame("stream.expiring", ({ event }) => event === "stream.expiring");
    await reader.ended;
    const again = await new Client(baseUrl).raw("GET", `/api/events/stream?token=${token}`);
    expect([again.status, ((await again.json()) as ErrorBody).code]).toEqual([401, "token_expired"]);
  });

  test("closes at once when the user is deleted, deactivated or gets another role", async () => {
    const people = await Promise.all([office.colleague("manager"), office.colleague("manager"), office.colleague("staff")]);
    const readers = await Promise.all(people.map((who) => watch(who)));
    const [deleted, deactivated, promoted] = people.map(({ userId }) => ({ id: userId })) as [{ id: string }, { id: string }, { id: string }];
    await Promise.all([
      office.call("deleteUser", { params: deleted }),
      office.call("updateUser", { params: deactivated, body: { isActive: false } }),
      office.call("updateUser", { params: promoted, body: { role: "manager" } }),
    ]);
    await Promise.all(readers.map(({ ended }) => ended));
  });

  test("sends heartbeats", async () => {
    const reader = await watch(office);
    await eventually("heartbeat", () => reader.heartbeatCount > 0);
  });

  test("logs no token", () => {
    const logs = join(dataDir, "logs");
    const secrets = [...tokens].map((token) => token.split(".")[2]!);
    expect(secrets.length).toBeGreaterThan(3);
    for (const file of readdirSync(logs)) {
      const text = readFileSync(join(logs, file), "utf8");
      expect([file, secrets.filter((secret) => text.includes(secret))]).toEqual([file, []]);
    }
  });
});
