import { describe, expect, test } from "@jest/globals";
import { EventReader } from "../../../../test/support/events/stream.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { anEmail, anOffice, type Office } from "../../../../test/support/office.ts";
import { emailEvent, sendWebhook } from "../../../../test/support/providers/webhooks.ts";

const find = async (office: Office, address: string, query = {}) =>
  (await office.call("listSuppressions", { query: { ...query, search: address } })).suppressions;

/** Lets the e-mail provider report that an e-mail to an address came back, and waits for the suppression in force. */
async function returnMail(office: Office, address: string, type = "email.bounced") {
  await sendWebhook(office.baseUrl, emailEvent({ type, data: { to: [address] } }));
  return eventually("suppression", async () => (await find(office, address))[0]);
}

/** Creates a tenant to whom the office has written by e-mail. */
async function aCorrespondent(office: Office) {
  const email = anEmail();
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz", email } });
  const { conversation } = await office.call("createConversation", {
    body: { participantType: "tenant", participantId: tenant.id, message: { body: "Ready.", channel: "email" } },
  });
  const write = async () => {
    const { status, body } = await office.attempt("sendConversationMessage", { params: { id: conversation.id }, body: { body: "Hello", channel: "email" } });
    return status === 200 ? 200 : body.code;
  };
  return { email, write };
}

describe("suppressions", () => {
  test("are lifted by admins, with the user and the time, and renewed by the next bounce", async () => {
    const office = await anOffice();
    const { email, write } = await aCorrespondent(office);
    const suppression = await returnMail(office, email);
    expect(suppression).toMatchObject({ address: email, reason: "bounced", deletedAt: null, deletedByUserId: null });
    expect(await write()).toBe("address_suppressed");
    const params = { id: suppression.id };
    const lifted = (await office.call("deleteSuppression", { params })).suppression;
    expect(lifted).toMatchObject({ id: suppression.id, deletedAt: expect.any(String), deletedByUserId: office.userId });
    expect(await write()).toBe(200);
    expect((await office.attempt("deleteSuppression", { params })).status).toBe(404);
    expect([await find(office, email), await find(office, email, { includeDeleted: true })]).toEqual([[], [lifted]]);
    const renewed = await returnMail(office, email);
    expect(renewed).toMatchObject({ id: suppression.id, createdAt: suppression.createdAt, deletedAt: null, deletedByUserId: null });
    expect(renewed.suppressedAt > lifted.deletedAt!).toBe(true);
    expect(await write()).toBe("address_suppressed");
  });

  test("are published to admins and their lifting is in the audit log, and managers neither read nor lift them", async () => {
    const office = await anOffice();
    const { email } = await aCorrespondent(office);
    const events = await EventReader.open(office.baseUrl, office.token!);
    const { id } = await returnMail(office, email, "email.complained");
    const published = (type: string) => events.waitForFrame(type, (frame) => frame.event === type);
    expect((await published("suppression.created")).data).toMatchObject({ entityId: id, data: { reason: "complained" } });
    const manager = await office.colleague("manager");
    expect([(await manager.attempt("listSuppressions")).status, (await manager.attempt("deleteSuppression", { params: { id } })).status]).toEqual([403, 403]);
    await office.call("deleteSuppression", { params: { id } });
    expect((await published("suppression.deleted")).data).toMatchObject({ entityId: id, actorUserId: office.userId });
    const entry = await eventually("audit entry", async () => (await office.call("listAuditEntries", { query: { entityId: id } })).auditEntries[0]);
    expect(entry).toMatchObject({ action: "suppression.deleted", actorUserId: office.userId, after: { reason: "complained" } });
    await events.close();
  });
});
