/** NATS accepts only the processes, each with its own permissions, and messages have an effect once and only if their publisher signed them. */
import { readdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { eventSubscribers } from "@freehold/contract/event-subscribers";
import type { Service } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import { messageHeaders } from "@freehold/kit/events/message";
import { connectBus, ensureStream, partitionOf, subjectOf, type EventBus, type EventStream } from "@freehold/kit/events/nats";
import pg from "pg";
import { certificateFiles, ensureCertificates } from "../../deploy/nats/certificates.ts";
import { createPeers } from "../../gateway/src/events/peers.ts";
import { services } from "../../deploy/system/secrets.ts";
import { startSystem, type System } from "../../deploy/system/system.ts";
import { connectAs, optionsOf } from "../support/events/bus.ts";
import { keysOf, messageOf } from "../support/events/messages.ts";
import { EventReader } from "../support/events/stream.ts";
import { anOffice, type Colleague, type Office } from "../support/office.ts";
import { testSettings } from "../support/settings.ts";
import { aPayment, aTenancy, type Tenancy } from "../support/tenancy.ts";
import { eventually } from "../support/eventually.ts";
import { converse } from "./nats/raw-client.ts";

const dataDir = mkdtempSync(join(tmpdir(), "freehold-nats-"));
let system: System;
let office: Office;
let manager: Colleague;
let tenancy: Tenancy;
let ledger: EventBus, communications: EventBus;
let stream: EventStream;

beforeAll(async () => {
  system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, fsync: "off", environment: testSettings });
  office = await anOffice(system.baseUrl);
  manager = await office.colleague("manager");
  tenancy = await aTenancy(office);
  [ledger, communications] = await Promise.all([connectAs("ledger", system.nats), connectAs("communications", system.nats)]);
  stream = await ensureStream(ledger);
});
afterAll(async () => {
  await Promise.all([ledger?.connection.close(), communications?.connection.close()]);
  await system?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Returns the subject of a new organization's messages that no service consumes. */
const unconsumedSubject = (publisher: Service): string => subjectOf({ publisher, organizationId: newId(), type: "charge.created" });
const isStored = async (subject: string): Promise<boolean> => (await ledger.manager.streams.getMessage(stream.name, { last_by_subj: subject })) !== null;

describe("a connection to NATS", () => {
  const connectLine = (password: string) => `CONNECT ${JSON.stringify({ verbose: false, user: "ledger", pass: password })}`;
  const linesOf = (connect: string, subject: string) => [connect, "SUB _INBOX.ledger.test 1", `PUB ${subject} 2`, "[]"];

  test("with TLS and a process's credentials can subscribe and publish", async () => {
    const subject = unconsumedSubject("ledger");
    const response = await converse(system.nats, linesOf(connectLine(system.nats.passwords.ledger), subject), { hasTls: true });
    expect(response).toBe("PONG\r\n");
    expect(await isStored(subject)).toBe(true);
  });

  test.each([
    ["without credentials", () => "CONNECT {}"],
    ["with a wrong password", () => connectLine("wrong")],
    ["with another process's password", () => connectLine(system.nats.passwords.communications)],
  ])("%s can neither subscribe nor publish", async (_, connect) => {
    const subject = unconsumedSubject("ledger");
    expect(await converse(system.nats, linesOf(connect(), subject), { hasTls: true })).toMatch(/^-ERR 'Authorization Violation'/);
    expect(await isStored(subject)).toBe(false);
  });

  test("without TLS is closed", async () => {
    const subject = unconsumedSubject("ledger");
    const response = await converse(system.nats, linesOf(connectLine(system.nats.passwords.ledger), subject), { hasTls: false });
    expect(response).not.toContain("PONG");
    expect(await isStored(subject)).toBe(false);
  });

  test("is refused by the client if another authority issued the server's certificate", async () => {
    const otherDir = join(dataDir, "other-certificates");
    await ensureCertificates(otherDir, ["localhost"]);
    for (const ca of [certificateFiles(otherDir).ca, undefined])
      await expect(connectBus({ ...optionsOf("ledger", system.nats), ca })).rejects.toThrow("the certificate of the NATS server is not valid");
  });
});

describe("a process with the credentials of communications", () => {
  test.each<[string, (bus: EventBus) => Promise<unknown>]>([
    ["publish as the ledger", ({ js }) => js.publish(unconsumedSubject("ledger"), "[]")],
    ["call a gateway", ({ connection }) => connection.request("gateways.alive", "{}")],
    ["delete the stream", ({ manager: { streams } }) => streams.delete(stream.name)],
    ["purge the stream", ({ manager: { streams } }) => streams.purge(stream.name)],
    ["change the stream", ({ manager: { streams } }) => streams.update(stream.name, { max_msgs: 1 })],
    ["delete a message", ({ manager: { streams } }) => streams.deleteMessage(stream.name, 1)],
  ])("cannot %s", async (_, attempt) => {
    await expect(attempt(communications)).rejects.toThrow("Permissions Violation");
  });

  test("cannot store other processes' messages in a stream of its own", async () => {
    await expect(communications.manager.streams.add({ name: "INBOXES", subjects: ["_INBOX.>"] })).rejects.toThrow("maximum number of streams reached");
  });

  test.each(["_INBOX.>", "_INBOX.ledger.>", "_INBOX.*.*", "gateways.>", "published.>", "$JS.API.>", ">"])("cannot subscribe to %s", async (subject) => {
    await expect(subscribe(communications, subject)).rejects.toThrow("Permissions Violation for Subscription");
  });

  test("does not disturb gateways by a consumer that delivers messages to their subject", async () => {
    const subject = unconsumedSubject("communications");
    await communications.manager.consumers.add(stream.name, { filter_subject: subject, deliver_subject: "gateways.alive" });
    for (const payload of ["", "[]", "null", "text"]) await communications.js.publish(subject, payload);
    const reader = await EventReader.open(system.baseUrl, office.token!, { types: ["payment.received"] });
    const paymentId = await recordPaymentAndWait(4_000);
    await reader.waitForFrame("payment.received", ({ data }) => data.entityId === paymentId);
    await reader.close();
  });

  test("can publish its own events, read the stream, and subscribe to its inbox", async () => {
    const subject = unconsumedSubject("communications");
    await communications.js.publish(subject, "[]", { headers: messageHeaders(keysOf("communications", dataDir), subject, "[]", null) });
    expect(await communications.manager.streams.getMessage(stream.name, { last_by_subj: subject })).not.toBeNull();
    await subscribe(communications, "_INBOX.communications.>");
    expect((await ensureStream(communications)).epoch).toBe(stream.epoch);
  });
});

test("a gateway rejects calls of unknown functions, ignores unreadable calls, and stays in service", async () => {
  const [one, other] = await Promise.all([connectAs("gateway", system.nats), connectAs("gateway", system.nats)]);
  const [caller, called] = [createPeers(), createPeers()];
  try {
    called.register("double", (input: number) => input * 2);
    called.join(other);
    caller.join(one);
    // The gateway of the system is a peer, too.
    const names = await eventually("heartbeats", () => (caller.otherGateways().length === 2 ? caller.otherGateways() : undefined));
    const callAll = (name: string) => Promise.allSettled(names.map((id) => caller.call<number, number>(id, name, 21)));
    for (const { status } of await callAll("unknown")) expect(status).toBe("rejected");
    await one.connection.flush();
    await eventually("response after an unreadable call", async () => {
      for (const id of names) one.connection.publish(`gateways.${id}`, "not JSON");
      return (await callAll("double")).some((result) => result.status === "fulfilled" && result.value === 42);
    });
  } finally {
    for (const peer of [caller, called]) peer.leave();
    await Promise.all([one.connection.close(), other.connection.close()]);
  }
});

/** Subscribes to a subject. Rejects when the server refuses the subscription. */
async function subscribe({ connection }: EventBus, subject: string): Promise<void> {
  const refusal = Promise.withResolvers<never>();
  connection.subscribe(subject, {
    callback: (error) => {
      if (error) refusal.reject(error);
    },
  });
  // The server responds to the flush after the subscription.
  await Promise.race([connection.flush().then(() => connection.flush()), refusal.promise]);
}

/** Returns an event that the ledger never published. */
const forgedPayment = () => ({
  id: newId(),
  type: "payment.received",
  organizationId: office.organizationId,
  occurredAt: new Date().toISOString(),
  entityType: "payment",
  entityId: newId(),
  actorUserId: null,
  requestId: null,
  data: { tenantId: tenancy.tenantId, leaseId: null, receivedAt: new Date().toISOString() },
  audience: { roles: ["admin", "manager"], tenantIds: [], ownerIds: [], vendorIds: [], userIds: [] },
});

/** Returns the number of payments that the manager was notified of. */
async function countNotifications(): Promise<number> {
  const { notifications } = await manager.call("listNotifications", { query: { type: "payment.received", pageSize: 100 } });
  return notifications.reduce((sum, { count }) => sum + count, 0);
}

/** Records a payment and waits for its notification. The events of the organization before it are consumed by then. */
async function recordPaymentAndWait(amountCents: number): Promise<string> {
  const before = await countNotifications();
  const { payment } = await office.call("recordPayment", { body: aPayment(tenancy, amountCents) });
  await eventually("notification", async () => (await countNotifications()) > before);
  expect(await countNotifications()).toBe(before + 1);
  return payment.id;
}

/** Returns the number that a statement selects from the database of a service. */
async function selectNumber(service: Service, statement: string, values: unknown[]): Promise<number> {
  const client = new pg.Client({ connectionString: system.databaseUrls[service].service });
  await client.connect();
  try {
    const { rows } = await client.query<{ number: string }>(statement, values);
    return Number(rows[0]!.number);
  } finally {
    await client.end();
  }
}

/** Returns the number of the organization's unreadable messages among the dead letters of a service. */
const countUnreadable = (service: Service): Promise<number> =>
  selectNumber(
    service,
    "select count(*) as number from parked_event where envelope ->> 'type' = 'unreadable' and dead_at is not null and envelope ->> 'subject' like '%' || $1 || '%'",
    [office.organizationId],
  );

/** Returns the sequence up to which communications has consumed all messages of the organization's partition. */
const findConsumedSequence = (): Promise<number> =>
  selectNumber("communications", "select sequence as number from consumer_share where consumer = 'communications' and partition = $1", [
    partitionOf(office.organizationId),
  ]);

describe("a message on the ledger's subject, published with the ledger's credentials", () => {
  const subscribing = services.filter((service) => (eventSubscribers[service] as readonly string[]).includes("payment.received"));
  const countAll = () => Promise.all(subscribing.map(countUnreadable));

  test.each([
    ["without a signature", () => undefined],
    ["signed by another process", (subject: string, payload: string) => messageHeaders(keysOf("portfolio", dataDir), subject, payload, null)],
    ["with the signature of another message", () => messageOf(forgedPayment(), dataDir).headers],
  ])("%s has no effect, becomes a dead letter of the subscribing services, and the next event is consumed", async (_, headersOf) => {
    const reader = await EventReader.open(system.baseUrl, office.token!, { types: ["payment.received"] });
    await reader.waitForFrame("stream.ready", ({ event }) => event === "stream.ready");
    const before = await countAll();
    const { subject, payload } = messageOf(forgedPayment(), dataDir);
    const headers = headersOf(subject, payload);
    await ledger.js.publish(subject, payload, { msgID: newId(), ...(headers && { headers }) });
    const paymentId = await recordPaymentAndWait(5_000);
    expect(subscribing).toContain("communications");
    await eventually("dead letters", async () => (await countAll()).every((count, index) => count === before[index]! + 1));
    await reader.waitForFrame("payment.received", ({ data }) => data.entityId === paymentId);
    expect(reader.frames.filter(({ event }) => event === "payment.received").map(({ data }) => data.entityId)).toEqual([paymentId]);
    await reader.close();
  });

  test("with an event of a type that this version does not know waits in the retry queue of the subscribing services, and reaches the streams", async () => {
    const reader = await EventReader.open(system.baseUrl, office.token!);
    await reader.waitForFrame("stream.ready", ({ event }) => event === "stream.ready");
    const event = { ...forgedPayment(), type: "payment.of_a_later_version" };
    const { subject } = messageOf(forgedPayment(), dataDir);
    const payload = JSON.stringify([event]);
    await ledger.js.publish(subject, payload, { msgID: newId(), headers: messageHeaders(keysOf("ledger", dataDir), subject, payload, null) });
    const countWaiting = (service: Service) =>
      selectNumber(service, "select count(*) as number from parked_event where organization_id = $1 and envelope ->> 'type' = 'payment.of_a_later_version'", [
        office.organizationId,
      ]);
    await eventually("waiting events", async () => (await Promise.all(subscribing.map(countWaiting))).every((count) => count === 1));
    await reader.waitForFrame(event.type, ({ data }) => data.entityId === event.entityId);
    await reader.close();
  });

  test("and signed by the ledger has an effect", async () => {
    const before = await countNotifications();
    const { subject, payload, headers } = messageOf(forgedPayment(), dataDir);
    await ledger.js.publish(subject, payload, { msgID: newId(), headers });
    await eventually("notification", async () => (await countNotifications()) === before + 1);
  });
});

test("a genuine message that is read from the stream and published again is consumed without a second effect", async () => {
  await recordPaymentAndWait(6_000);
  const before = await countNotifications();
  const subject = subjectOf({ publisher: "ledger", organizationId: office.organizationId, type: "payment.received" });
  const message = (await ledger.manager.streams.getMessage(stream.name, { last_by_subj: subject }))!;
  expect(message.string()).toContain("payment.received");
  const { duplicate, seq } = await ledger.js.publish(subject, message.data, { msgID: newId(), headers: message.header });
  expect([duplicate, seq > message.seq]).toEqual([false, true]);
  await eventually("end of the consumption", async () => (await findConsumedSequence()) >= seq);
  expect(await countNotifications()).toBe(before);
  await recordPaymentAndWait(7_000);
});

test("no password of NATS is in a command line, in a log, or in a file that others can read", () => {
  const passwords = Object.values(system.nats.passwords);
  const containsPassword = (text: string) => passwords.some((password) => text.includes(password));
  const commandLines = [...system.children.values()].map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, "utf8"));
  const logs = readdirSync(join(dataDir, "logs")).map((file) => readFileSync(join(dataDir, "logs", file), "utf8"));
  const secretFiles = ["secrets.json", "nats/nats.conf"].map((file) => join(dataDir, file));
  expect(commandLines.length).toBeGreaterThan(services.length);
  expect([...commandLines, ...logs].filter(containsPassword)).toEqual([]);
  expect(secretFiles.filter((file) => !containsPassword(readFileSync(file, "utf8")))).toEqual([]);
  for (const file of [...secretFiles, join(dataDir, "nats/tls.key")]) expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600]);
});
