/** Changed webhooks, sent to a process with the secrets of all receivers. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { startCloudServer, type CloudServer } from "../../../../test/support/providers/cloud-notifications.ts";
import { isFullProof, sized } from "../../../../test/support/proof.ts";
import { emailEvent, mailboxPush, paymentEvent, sendWebhook, smsForm, type ProviderRequest } from "../../../../test/support/providers/webhooks.ts";
import { running } from "../../../../test/support/running.ts";
import { createRandom } from "../../../../test/systems/faults/random.ts";
import { publicUrl, smsAuthToken, startWebhookProcess, topicArns } from "../../test/webhook-process.ts";

const CASES = sized(35, 700);
const SEED = 27;
let process: Awaited<ReturnType<typeof startWebhookProcess>>;
let cloud: CloudServer;
let database: pg.Client;

beforeAll(async () => {
  cloud = await startCloudServer();
  process = await startWebhookProcess({ CLOUD_NOTIFICATION_CERT_HOSTS: cloud.host, NODE_EXTRA_CA_CERTS: cloud.caFile });
  database = new pg.Client({ connectionString: running().databaseUrls.communications.owner });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await process.end("SIGTERM");
  await cloud.close();
});

const sms = { authToken: smsAuthToken, publicUrl };
/** Signed requests with an id of their own, and the header whose change forges them, or `target` for the URL. */
const requests: Record<string, { make: (id: string) => ProviderRequest; signed: string }> = {
  payment: { make: (id) => paymentEvent(JSON.stringify({ id, type: "charge.updated" })), signed: "Payment-Signature" },
  email: { make: (id) => emailEvent({ from: "ana@example.com", text: id }, { id }), signed: "Webhook-Signature" },
  sms: { make: (id) => smsForm("inbound", { MessageSid: id, From: "+15185550199", Body: "Hi" }, sms), signed: "X-Sms-Signature" },
  "sms status": { make: (id) => smsForm("status", { MessageSid: id, MessageStatus: "delivered" }, sms), signed: "X-Sms-Signature" },
  "cloud e-mail": { make: (id) => cloud.notification("/api/webhooks/email/cloud-inbound", topicArns.email, { text: id }, { MessageId: id }), signed: "body" },
  "cloud text message": { make: (id) => cloud.notification("/api/webhooks/sms/cloud-inbound", topicArns.sms, { text: id }, { MessageId: id }), signed: "body" },
  "mailbox push": { make: (id) => mailboxPush(id), signed: "target" },
};

test.each(Object.entries(requests))("a changed %s webhook is refused with 401, and has no effect", async (name, { make, signed }) => {
  const random = createRandom(SEED);
  const prefix = randomUUID();
  const replaceOne = (text: string, from = 0): string => {
    const at = from + random.integerBelow(text.length - from);
    return `${text.slice(0, at)}${text[at] === "7" ? "8" : "7"}${text.slice(at + 1)}`;
  };
  const change = (request: ProviderRequest): ProviderRequest => {
    const { path, headers, body } = request;
    // The last characters of base64 have bits without a meaning.
    if (signed === "target") return { ...request, path: replaceOne(path, path.indexOf("=") + 1) };
    if (signed === "body") return { ...request, body: changeMember(String(body), random.next() < 0.5 ? "Signature" : "Message") };
    return random.next() < 0.5
      ? { ...request, body: replaceOne(String(body)) }
      : { ...request, headers: { ...headers, [signed]: replaceOne(headers[signed]!, 3) } };
  };
  const changeMember = (body: string, member: string) => {
    const message = JSON.parse(body) as Record<string, string>;
    return JSON.stringify({ ...message, [member]: replaceOne(message[member]!) });
  };
  const statuses = new Map<number, number>();
  for (let count = 0; count < CASES; count++) {
    const { status } = await sendWebhook(process.baseUrl, change(make(`${prefix}-${count}`)));
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const { rows } = await database.query("select provider_event_id from webhook_receipt where provider_event_id like $1", [`${prefix}%`]);
  if (isFullProof)
    globalThis.process.stdout.write(`forged=${name.replaceAll(" ", "-")} cases=${CASES} refused=${statuses.get(401) ?? 0} stored=${rows.length}\n`);
  expect([Object.fromEntries(statuses), rows]).toEqual([{ 401: CASES }, []]);
});
