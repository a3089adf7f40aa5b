/** Accounts with an e-mail address that other organizations use as well. */
import { expect, test } from "@jest/globals";
import { Client } from "../../../../test/support/client.ts";
import { anOffice, password } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { addressHeader } from "../../test/assertion.ts";
import { insertOlderAccounts } from "../../test/database.ts";
import { startIdentity } from "../../test/process.ts";

const anonymousClient = () => new Client(running().baseUrl);

test("invites that others have sent to the address, and not accepted, do not displace an unconfirmed account", async () => {
  const owner = await anOffice();
  for (let index = 0; index < 6; index++) {
    const other = await anOffice();
    await other.call("createUser", { body: { email: owner.email, fullName: "Ada", role: "staff" } });
  }
  const { status, body } = await anonymousClient().attempt("login", { body: { email: owner.email, password } });
  expect([status, body.organization?.id]).toEqual([200, owner.organizationId]);
});

test("the device of one account with the address exempts from no limit of another account with it", async () => {
  const owner = await anOffice();
  const attacker = await anOffice();
  const { inviteLink } = await attacker.call("createUser", { body: { email: owner.email, fullName: "Ada", role: "staff" } });
  const ownPassword = "the attacker's own passphrase";
  const { headers } = await anonymousClient().attempt("acceptInvite", { params: { token: inviteLink.split("/").pop()! }, body: { password: ownPassword } });
  const device = headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith("service_device="))!
    .split(";")[0]!;
  const identity = await startIdentity({ SIGN_IN_ATTEMPTS: "2" });
  const address = await addressHeader("192.0.2.77");
  const signIn = async (secret: string, cookie?: string) =>
    (await identity.client.attempt("login", { body: { email: owner.email, password: secret }, headers: { ...address, ...(cookie && { Cookie: cookie }) } }))
      .status;
  try {
    for (let guess = 0; guess < 2; guess++) {
      expect(await signIn(`a guess of a password ${guess}`, device)).toBe(401);
      // Resets the failures of the device, but not those of the address.
      if (guess === 0) expect(await signIn(ownPassword, device)).toBe(200);
    }
    expect(await signIn(password)).toBe(429);
    expect(await signIn(ownPassword, device)).toBe(200);
  } finally {
    await identity.stop();
  }
});

test("accounts that others have created with invites to the address, however many and old, displace neither a recent sign-in nor a reset", async () => {
  const owner = await anOffice();
  const employer = await anOffice();
  const { inviteLink } = await employer.call("createUser", { body: { email: owner.email, fullName: "Ada", role: "staff" } });
  const accepted = "the passphrase of the employee";
  await anonymousClient().call("acceptInvite", { params: { token: inviteLink.split("/").pop()! }, body: { password: accepted } });
  await insertOlderAccounts(owner, owner.email, 60);
  const { status, body } = await anonymousClient().attempt("login", { body: { email: owner.email, password: accepted } });
  expect([status, body.organization?.id]).toEqual([200, employer.organizationId]);
});

test("an own account with the address resets no failures of another account with it, also with its organization", async () => {
  const owner = await anOffice();
  const attacker = await anOffice();
  const { inviteLink } = await attacker.call("createUser", { body: { email: owner.email, fullName: "Ada", role: "staff" } });
  const ownPassword = "the attacker's own passphrase";
  await anonymousClient().call("acceptInvite", { params: { token: inviteLink.split("/").pop()! }, body: { password: ownPassword } });
  const identity = await startIdentity({ SIGN_IN_ATTEMPTS: "3" });
  const headers = await addressHeader("192.0.2.78");
  const signIn = async (secret: string, organizationId?: string) =>
    (await identity.client.attempt("login", { body: { email: owner.email, password: secret, ...(organizationId && { organizationId }) }, headers })).status;
  try {
    for (let guess = 0; guess < 3; guess++) {
      expect(await signIn(`a guess of a password ${guess}`)).toBe(401);
      if (guess < 2) expect([await signIn(ownPassword), await signIn(ownPassword, attacker.organizationId)]).toEqual([200, 200]);
    }
    expect([await signIn(password), await signIn(password, owner.organizationId)]).toEqual([429, 429]);
  } finally {
    await identity.stop();
  }
});

test("a service key is not locked out by wrong secrets from other addresses", async () => {
  const office = await anOffice();
  const { serviceKey, clientSecret } = await office.call("createServiceKey", { body: { name: "Sync", role: "staff" } });
  const identity = await startIdentity({ SIGN_IN_ATTEMPTS: "1" });
  const exchange = async (secret: string, address: string) => {
    const body = { grantType: "client_credentials" as const, clientId: serviceKey.clientId, clientSecret: secret };
    return (await identity.client.attempt("refreshToken", { body, headers: await addressHeader(address) })).status;
  };
  try {
    for (let index = 1; index <= 12; index++) expect(await exchange("not the secret", `198.51.100.${index}`)).toBe(401);
    expect([await exchange(clientSecret, "198.51.100.1"), await exchange(clientSecret, "198.51.100.99")]).toEqual([429, 200]);
  } finally {
    await identity.stop();
  }
});
