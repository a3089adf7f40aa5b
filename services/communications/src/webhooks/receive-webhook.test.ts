/** The receivers of webhooks, through the gateway and on a process with the secrets of all of them. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { operationsById } from "@freehold/contract";
import { webhookReceivers } from "@freehold/contract/communications/webhooks";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { anOffice } from "../../../../test/support/office.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { running } from "../../../../test/support/running.ts";
import { emailEvent, mailboxPush, paymentEvent, sendWebhook, smsForm, type ProviderRequest } from "../../../../test/support/providers/webhooks.ts";
import { publicUrl, smsAuthToken, startWebhookProcess } from "../../test/webhook-process.ts";

let process: Awaited<ReturnType<typeof startWebhookProcess>>;
let database: pg.Client;
const { baseUrl } = running();
const sms = { authToken: smsAuthToken, publicUrl };

beforeAll(async () => {
  process = await startWebhookProcess();
  database = new pg.Client({ connectionString: running().databaseUrls.communications.owner });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await process.end("SIGTERM");
});

const paths = Object.values(operationsById).flatMap((operation) => ("webhook" in operation ? [operation.path] : []));
const newId = () => `evt_${randomUUID()}`;

/** Returns the stored content of an event. */
async function storedBody(providerEventId: string): Promise<Buffer | undefined> {
  const { rows } = await database.query<{ body: Buffer }>(
    "select b.body from webhook_receipt r join webhook_body b on b.receipt_id = r.id where r.provider_event_id = $1",
    [providerEventId],
  );
  return rows[0]?.body;
}

describe("a receiver", () => {
  test("exists for each kind of provider", () => {
    expect(paths.map((path) => path.replace("/api/webhooks/", "").replaceAll(/[/-]/g, "_")).sort()).toEqual([...webhookReceivers].sort());
  });

  test("responds 503 without its secret, whatever is sent", async () => {
    for (const path of ["/api/webhooks/sms/inbound", "/api/webhooks/sms/status", "/api/webhooks/sms/cloud-inbound", "/api/webhooks/email/cloud-inbound"])
      for (const body of ["", "{", "From=a", "a".repeat(2 * 1_048_576)])
        for (const encoding of ["identity", "gzip"]) {
          const headers = { "X-Sms-Signature": "x", "Content-Type": "text/plain", "Content-Encoding": encoding };
          expect([path, body.length, await sendWebhook(baseUrl, { path, headers, body })]).toMatchObject([
            path,
            body.length,
            { status: 503, body: { code: "not_configured" } },
          ]);
        }
  });

  test("responds 401 to a missing or wrong signature, also with an access token, and stores nothing", async () => {
    const office = await anOffice();
    const id = newId();
    for (const path of paths) {
      const headers = { Authorization: `Bearer ${office.token}`, "Content-Type": "application/json", "Webhook-Id": id };
      const body = JSON.stringify({ id, MessageId: id, message: { messageId: id } });
      expect([path, await sendWebhook(process.baseUrl, { path, headers, body })]).toMatchObject([path, { status: 401, body: { code: "signature_invalid" } }]);
    }
    expect(await storedBody(id)).toBeUndefined();
  });

  const events: Record<string, (id: string) => ProviderRequest> = {
    payment: (id) => paymentEvent(JSON.stringify({ id, type: "charge.updated" })),
    email: (id) => emailEvent({ type: "email.opened" }, { id }),
    sms: (id) => smsForm("inbound", { MessageSid: id, From: "+15185550199", Body: "Hi" }, sms),
    push: (id) => mailboxPush(id),
  };

  test.each(Object.entries(events))("of a %s event answers once with received, and then with duplicate, also to concurrent repetitions", async (_, request) => {
    const id = newId();
    const responses = await Promise.all(Array.from({ length: 10 }, () => sendWebhook(process.baseUrl, request(id))));
    expect(responses.filter(({ body }) => body["duplicate"] === undefined)).toEqual([{ status: 200, body: { received: true } }]);
    expect(responses.filter(({ body }) => body["duplicate"])).toEqual(Array(9).fill({ status: 200, body: { received: true, duplicate: true } }));
  });

  test("of statuses responds 202 to the status of a message that was not sent, and ignores it in the end", async () => {
    const sid = newId();
    expect(await sendWebhook(process.baseUrl, smsForm("status", { MessageSid: sid, MessageStatus: "delivered" }, sms))).toEqual({
      status: 202,
      body: { received: true },
    });
    await eventually("ignored status", async () => {
      const { rows } = await database.query("select error from webhook_receipt where provider_event_id = $1 and attempts > 0", [`${sid}:delivered`]);
      return rows.length > 0;
    });
  });

  test("responds 400 to a signed event without an id, and to a body that is too large or encoded", async () => {
    for (const body of ["{}", "[]", "null", "{", '{"id":5}', JSON.stringify({ id: "x".repeat(256) })])
      expect([body.slice(0, 20), await sendWebhook(baseUrl, paymentEvent(body))]).toMatchObject([
        body.slice(0, 20),
        { status: 400, body: { code: "validation_failed" } },
      ]);
    for (const url of [baseUrl, process.baseUrl])
      expect(await sendWebhook(url, paymentEvent("x".repeat(1_048_577)))).toMatchObject({ status: 400, body: { code: "payload_too_large" } });
    // Without an announced length.
    const { path, headers, body: chunk } = paymentEvent("x".repeat(1_048_576));
    const chunks = new Blob([chunk as string, chunk as string]).stream();
    const response = await fetch(`${baseUrl}${path}`, { method: "POST", headers, body: chunks, duplex: "half" });
    expect([response.status, await response.json()]).toMatchObject([400, { code: "payload_too_large" }]);
    const encoded = paymentEvent(JSON.stringify({ id: newId() }));
    expect(await sendWebhook(baseUrl, { ...encoded, headers: { ...encoded.headers, "Content-Encoding": "gzip" } })).toMatchObject({ status: 400 });
  });

  test("responds 400 to a signed event whose id has U+0000, which PostgreSQL does not store", async () => {
    const requests = [
      paymentEvent('{"id":"evt_\\u0000"}'),
      mailboxPush("message\u0000"),
      smsForm("inbound", { MessageSid: "SM\u0000", From: "+15185550199", Body: "Hi" }, sms),
      smsForm("status", { MessageSid: "SM\u0000", MessageStatus: "sent" }, sms),
      smsForm("status", { MessageSid: newId(), MessageStatus: "sent\u0000" }, sms),
    ];
    for (const request of requests)
      expect([request.path, await sendWebhook(process.baseUrl, request)]).toMatchObject([request.path, { status: 400, body: { code: "validation_failed" } }]);
  });

  test("accepts the header names of well-known providers", async () => {
    const renamed = ({ headers, ...request }: ProviderRequest, names: Record<string, string>) => ({
      ...request,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [names[name] ?? name, value])),
    });
    const requests = [
      renamed(paymentEvent(JSON.stringify({ id: newId() })), { "Payment-Signature": "Stripe-Signature" }),
      renamed(emailEvent({ type: "email.opened" }), { "Webhook-Id": "svix-id", "Webhook-Timestamp": "svix-timestamp", "Webhook-Signature": "svix-signature" }),
      renamed(smsForm("inbound", { MessageSid: newId(), From: "+15185550199" }, sms), { "X-Sms-Signature": "X-Twilio-Signature" }),
    ];
    for (const request of requests) expect(await sendWebhook(process.baseUrl, request)).toEqual({ status: 200, body: { received: true } });
  });
});

describe("the gateway", () => {
  test("forwards the bytes of a body unchanged: odd JSON, forms, text of any encoding, and 1 MiB", async () => {
    const bodies = (id: string): Record<string, string | Buffer> => ({
      pretty: JSON.stringify({ id, a: [1, { b: null }] }, null, 4),
      "carriage returns": `{\r\n  "id": "${id}",\r\n  "é": "\\u00e9"\r\n}\r\n`,
      "duplicate members": `{"id":"other","id":"${id}","n":1e2,"m":1.0,"big":12345678901234567890}`,
      emoji: `{"id":"${id}","text":"👋🏽 \u2028 \\ud83d\\ude00"}`,
      "1 MiB": `{"id":"${id}","x":"${"y".repeat(1_048_576 - id.length - 16)}"}`,
      "invalid UTF-8": Buffer.concat([Buffer.from(`{"id":"${id}","x":"`), Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from('"}')]),
    });
    for (const kind of Object.keys(bodies(""))) {
      for (const contentType of ["application/json", "application/x-www-form-urlencoded", "text/plain; charset=iso-8859-1"]) {
        const id = newId();
        const request = paymentEvent(bodies(id)[kind]!);
        expect([kind, await sendWebhook(baseUrl, { ...request, headers: { ...request.headers, "Content-Type": contentType } })]).toEqual([
          kind,
          { status: 200, body: { received: true } },
        ]);
        expect((await storedBody(id))!.equals(Buffer.from(request.body))).toBe(true);
      }
    }
  });
});
