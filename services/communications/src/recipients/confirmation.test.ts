/** Organizations without a confirmed e-mail address. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { newId } from "@freehold/kit/db/entity";
import { openDatabase } from "@freehold/kit/db/database";
import { OrgDb } from "@freehold/kit/db/org-db";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { Client } from "../../../../test/support/client.ts";
import { anEmail, anOffice, confirmAddress } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { testClients } from "../../test/clients.ts";
import { database as definition } from "../database.ts";
import { sendMessages } from "../messages/messages.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.communications.service, 4);
});
afterAll(() => database.close());

/** Signs up an organization whose admin has not confirmed the e-mail address, with a tenant who consents to text messages. */
async function anUnconfirmedOffice() {
  const office = await anOffice();
  // The client of an office would confirm the address.
  const client = new Client(office.baseUrl, office.token);
  const { tenant } = await client.call("createTenant", { body: { fullName: "Ana Ruiz", email: anEmail(), phone: "+15185550177" } });
  await client.call("updateTenant", { params: { id: tenant.id }, body: { smsConsent: { granted: true, source: "signed lease" } } });
  const { conversation } = await client.call("createConversation", { body: { participantType: "tenant", participantId: tenant.id } });
  const write = (channel: "email" | "sms" | "in_app") =>
    client.attempt("sendConversationMessage", { params: { id: conversation.id }, body: { body: "Hello", channel } });
  const { organizationId } = office;
  return { organizationId, client, tenantId: tenant.id, write, confirm: () => confirmAddress(office.baseUrl, office.email) };
}
/** Sends e-mails about assigned work orders, and returns the status of each, or why it was skipped. */
async function assign(organizationId: string, count: number): Promise<unknown[]> {
  const db = new OrgDb(database, systemPrincipal(organizationId));
  const dependencies = { clients: testClients(), transports: { from: "no-reply@freehold.example", mailer: undefined, devOutbox: { pool: database.pool } } };
  const fields = { number: "1", title: "Tap", place: "Elm Street" };
  const messages = Array.from({ length: count }, () => ({ id: newId(), channel: "email", to: anEmail(), template: "work-order-assigned", fields }));
  return (await sendMessages(db, dependencies, messages)).map(({ status, error }) => (status === "skipped" ? error : status));
}
const outcome = ({ status, body }: { status: number; body: { code?: string | undefined } }) => (status === 200 ? 200 : `${status} ${body.code}`);

describe("before an admin has confirmed an e-mail address", () => {
  test("a blast is neither sent, scheduled nor retried, and afterwards it is", async () => {
    const { client, tenantId, confirm } = await anUnconfirmedOffice();
    const terms = { title: "Water", body: "Off at noon.", channels: ["email" as const], target: { tenantIds: [tenantId] } };
    const scheduledAt = "2190-01-01T12:00:00.000Z";
    const params = { id: (await client.call("createBlast", { body: terms })).blast.id };
    const attempts = async () => [
      outcome(await client.attempt("createBlast", { body: { ...terms, scheduledAt } })),
      outcome(await client.attempt("scheduleBlast", { params, body: { scheduledAt } })),
      outcome(await client.attempt("sendBlast", { params })),
      outcome(await client.attempt("retryBlast", { params })),
    ];
    expect(await attempts()).toEqual(Array(4).fill("403 email_unconfirmed"));
    const { body } = await client.attempt("sendBlast", { params });
    expect(body.message).toContain("Open the link in the e-mail");
    expect((await client.attempt("sendBlast", { params: { id: newId() } })).status).toBe(404);
    await confirm();
    expect(await attempts()).toEqual([200, 200, "409 invalid_transition", "409 invalid_transition"]);
  });

  test("fifty e-mails and text messages can be sent, also of several at the same time, and messages in the portal without limit", async () => {
    const { organizationId, client, tenantId, write, confirm } = await anUnconfirmedOffice();
    await assign(organizationId, 45);
    expect(outcome(await write("sms"))).toBe(200);
    const outcomes = (await Promise.all(Array.from({ length: 8 }, () => write("email")))).map(outcome);
    expect(outcomes.filter((each) => each === 200)).toHaveLength(4);
    expect(outcomes.filter((each) => each === "403 email_unconfirmed")).toHaveLength(4);
    const first = { participantType: "tenant" as const, participantId: tenantId, subject: "Keys", message: { body: "Ready.", channel: "sms" as const } };
    expect(outcome(await client.attempt("createConversation", { body: first }))).toBe("403 email_unconfirmed");
    expect((await client.call("listConversations")).total).toBe(1);
    expect(outcome(await write("in_app"))).toBe(200);
    await confirm();
    expect([outcome(await write("email")), outcome(await write("sms"))]).toEqual([200, 200]);
  });

  test("e-mails about assigned work orders above the limit are skipped", async () => {
    const { organizationId, write, confirm } = await anUnconfirmedOffice();
    await write("email");
    expect(await assign(organizationId, 51)).toEqual([...Array<string>(49).fill("sent"), "email_unconfirmed", "email_unconfirmed"]);
    expect(outcome(await write("email"))).toBe("403 email_unconfirmed");
    await confirm();
    expect(await assign(organizationId, 1)).toEqual(["sent"]);
  });
});
