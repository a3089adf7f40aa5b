import { describe, expect, test } from "@jest/globals";
import { Client } from "../../../../../test/support/client.ts";
import { anEmail, anOffice } from "../../../../../test/support/office.ts";
import { aTenant } from "../../../test/fixtures.ts";

const office = await anOffice();
const channels: "email"[] = ["email"];

/** Returns a client with an access token of a new service key. */
async function aKeyClient(isReadOnly: boolean): Promise<Client> {
  const { serviceKey, clientSecret } = await office.call("createServiceKey", { body: { name: "Sync", role: "manager", isReadOnly } });
  const body = { grantType: "client_credentials" as const, clientId: serviceKey.clientId, clientSecret };
  return new Client(office.baseUrl, (await new Client(office.baseUrl).call("refreshToken", { body })).accessToken);
}

describe("the invites that a service key reads or writes", () => {
  test("have no tokens for a read-only key", async () => {
    const tenant = await aTenant(office, { email: anEmail() });
    const { invite } = await office.call("createTenantInvite", { body: { tenantId: tenant.id, channels } });
    const key = await aKeyClient(true);
    expect((await key.call("getTenantInvite", { params: { id: invite.id } })).invite).toEqual({ ...invite, token: null });
    expect((await key.call("listTenantInvites", { query: { tenantId: tenant.id } })).invites).toEqual([{ ...invite, token: null }]);
  });

  test("have neither tokens nor links for a key that may write, while the person gets the link", async () => {
    const email = anEmail();
    const tenant = await aTenant(office, { email });
    const key = await aKeyClient(false);
    const created = await key.call("createTenantInvite", { body: { tenantId: tenant.id, channels } });
    expect(created).toMatchObject({ invite: { status: "pending", token: null }, inviteLink: null, shortInviteLink: null });
    const params = { id: created.invite.id };
    const resent = await key.call("resendTenantInvite", { params, body: { channels } });
    expect(resent).toMatchObject({ invite: { token: null }, inviteLink: null, shortInviteLink: null });
    const { token } = (await office.call("getTenantInvite", { params })).invite;
    const { messages } = await office.call("listDevOutbox", { query: { to: email } });
    expect(messages[0]!.links.map((link) => link.split("/").at(-1))).toContain(token);
    expect((await key.call("revokeTenantInvite", { params })).invite).toMatchObject({ status: "revoked", token: null });
  });
});
