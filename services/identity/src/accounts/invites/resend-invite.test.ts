import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { Client } from "../../../../../test/support/client.ts";
import { anOffice, password, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { expireInvites, readTableAsJson } from "../../../test/database.ts";
import { anInvitedUser } from "../../../test/invite.ts";

let office: Office;
beforeAll(async () => {
  office = await anOffice();
});
const anonymousClient = () => new Client(running().baseUrl);
const tokenIn = (link: string) => link.split("/").pop()!;
const statusOf = async (token: string) => (await anonymousClient().attempt("getInvite", { params: { token } })).status;
const findEmails = async (email: string) => (await anonymousClient().call("listDevOutbox", { query: { to: email } })).messages;

describe("resendUserInvite", () => {
  test("e-mails a new invite and revokes the previous one", async () => {
    const { user, email, token } = await anInvitedUser(office);
    const response = await office.call("resendUserInvite", { params: { id: user.id } });
    expect(response.user).toEqual(user);
    const newToken = tokenIn(response.inviteLink);
    expect([await statusOf(token), await statusOf(newToken)]).toEqual([404, 200]);
    const messages = await findEmails(email);
    expect([messages.length, messages[0]!.links.includes(response.inviteLink)]).toEqual([2, true]);
    await anonymousClient().call("acceptInvite", { params: { token: newToken }, body: { password } });
    expect((await anonymousClient().call("login", { body: { email, password } })).user.id).toBe(user.id);
  });
  test("replaces an expired invite", async () => {
    const ownOffice = await anOffice();
    const { user, token } = await anInvitedUser(ownOffice);
    await expireInvites(ownOffice.organizationId);
    expect(await statusOf(token)).toBe(404);
    expect(await statusOf(tokenIn((await ownOffice.call("resendUserInvite", { params: { id: user.id } })).inviteLink))).toBe(200);
  });
  test("replays a request with the same Idempotency-Key without another e-mail, and stores no token", async () => {
    const { user, email } = await anInvitedUser(office);
    const idempotencyKey = randomUUID();
    const request = { params: { id: user.id }, headers: { "Idempotency-Key": idempotencyKey } };
    const [first, replayed] = [await office.attempt("resendUserInvite", request), await office.attempt("resendUserInvite", request)];
    expect([first.status, replayed.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(replayed.body).toEqual(first.body);
    expect(await findEmails(email)).toHaveLength(2);
    const storedKeys = await readTableAsJson(office.organizationId, "idempotency_key");
    expect(storedKeys).toContain(idempotencyKey);
    expect(storedKeys).not.toContain(tokenIn(first.body.inviteLink));
  });
  test("leaves one invite valid after concurrent requests", async () => {
    const { user } = await anInvitedUser(office);
    const responses = await Promise.all(Array.from({ length: 8 }, () => office.call("resendUserInvite", { params: { id: user.id } })));
    const statuses = await Promise.all(responses.map(({ inviteLink }) => statusOf(tokenIn(inviteLink))));
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });
  test("returns 409 for a user who has accepted or is inactive, and 404 for one who is deleted, of another organization or unknown", async () => {
    const accepted = await office.colleague("staff");
    const { user: inactive } = await anInvitedUser(office);
    await office.call("updateUser", { params: { id: inactive.id }, body: { isActive: false } });
    for (const id of [accepted.userId, inactive.id]) {
      const { status, body } = await office.attempt("resendUserInvite", { params: { id } });
      expect([status, body.code]).toEqual([409, "invalid_transition"]);
    }
    const { user: deleted } = await anInvitedUser(office);
    await office.call("deleteUser", { params: { id: deleted.id } });
    for (const id of [deleted.id, (await anOffice()).userId, randomUUID()])
      expect((await office.attempt("resendUserInvite", { params: { id } })).status).toBe(404);
  });
});
