import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { Client } from "../../../../../test/support/client.ts";
import { anOffice, password, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { expireInvites, storedIn } from "../../../test/database.ts";
import { anInvited } from "../../../test/invite.ts";

let office: Office;
beforeAll(async () => {
  office = await anOffice();
});
const anonymousClient = () => new Client(running().baseUrl);
const tokenIn = (link: string) => link.split("/").pop()!;
const statusOf = async (token: string) => (await anonymousClient().attempt("getInvite", { params: { token } })).status;
const letters = async (email: string) => (await anonymousClient().call("listDevOutbox", { query: { to: email } })).messages;

describe("resendUserInvite", () => {
  test("mails another invite, and the one before opens nothing", async () => {
    const { user, email, token } = await anInvited(office);
    const answer = await office.call("resendUserInvite", { params: { id: user.id } });
    expect(answer.user).toEqual(user);
    const next = tokenIn(answer.inviteLink);
    expect([await statusOf(token), await statusOf(next)]).toEqual([404, 200]);
    const mails = await letters(email);
    expect([mails.length, mails[0]!.links.includes(answer.inviteLink)]).toEqual([2, true]);
    await anonymousClient().call("acceptInvite", { params: { token: next }, body: { password } });
    expect((await anonymousClient().call("login", { body: { email, password } })).user.id).toBe(user.id);
  });
  test("helps somebody whose invite has run out", async () => {
    const own = await anOffice();
    const { user, token } = await anInvited(own);
    await expireInvites(own.organizationId);
    expect(await statusOf(token)).toBe(404);
    expect(await statusOf(tokenIn((await own.call("resendUserInvite", { params: { id: user.id } })).inviteLink))).toBe(200);
  });
  test("with an Idempotency-Key happens once and mails once, and keeps nothing that opens the invite", async () => {
    const { user, email } = await anInvited(office);
    const request = { params: { id: user.id }, headers: { "Idempotency-Key": randomUUID() } };
    const [first, again] = [await office.attempt("resendUserInvite", request), await office.attempt("resendUserInvite", request)];
    expect([first.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect(again.body).toEqual(first.body);
    expect(await letters(email)).toHaveLength(2);
    expect(await storedIn(office.organizationId, "idempotency_key")).not.toContain(tokenIn(first.body.inviteLink));
  });
  test("leaves one invite open, however many are sent at once", async () => {
    const { user } = await anInvited(office);
    const answers = await Promise.all(Array.from({ length: 8 }, () => office.call("resendUserInvite", { params: { id: user.id } })));
    const open = await Promise.all(answers.map(({ inviteLink }) => statusOf(tokenIn(inviteLink))));
    expect(open.filter((status) => status === 200)).toHaveLength(1);
  });
  test("refuses who has accepted, who is not active, and who is not there", async () => {
    const accepted = await office.colleague("staff");
    const { user: inactive } = await anInvited(office);
    await office.call("updateUser", { params: { id: inactive.id }, body: { isActive: false } });
    for (const id of [accepted.userId, inactive.id]) {
      const { status, body } = await office.attempt("resendUserInvite", { params: { id } });
      expect([status, body.code]).toEqual([409, "invalid_transition"]);
    }
    const { user: gone } = await anInvited(office);
    await office.call("deleteUser", { params: { id: gone.id } });
    for (const id of [gone.id, (await anOffice()).userId, randomUUID()])
      expect((await office.attempt("resendUserInvite", { params: { id } })).status).toBe(404);
  });
});
