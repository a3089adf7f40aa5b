/** Accounts with an e-mail address that other organizations use as well. */
import { expect, test } from "@jest/globals";
import { Client } from "../../../../test/support/client.ts";
import { anOffice, password, type Office } from "../../../../test/support/office.ts";
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

/** Creates an account with the address of another organization's admin, whose password the creator knows. Returns its organization, its client and the cookie of its device. */
async function anAccountOfAnother(owner: Office, ownPassword: string) {
  const attacker = await anOffice();
  const { inviteLink } = await attacker.call("createUser", { body: { email: owner.email, fullName: "Ada", role: "staff" } });
  const client = anonymousClient();
  const { headers, body } = await client.attempt("acceptInvite", { params: { token: inviteLink.split("/").pop()! }, body: { password: ownPassword } });
  client.token = body.accessToken;
  const device = headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith("service_device="))!
    .split(";")[0]!;
  return { organizationId: attacker.organizationId, client, device };
}

test("the password of one account with the address cannot be guessed with the own one of another, however often that is changed", async () => {
  const owner = await anOffice();
  const guesses = ["a first guess of a password", "a second guess of a password", "a third guess of a password", password];
  const { client, organizationId } = await anAccountOfAnother(owner, guesses[0]!);
  const identity = await startIdentity({ SIGN_IN_ATTEMPTS: "3" });
  const headers = await addressHeader("192.0.2.79");
  const signIn = (secret: string) => identity.client.attempt("login", { body: { email: owner.email, password: secret }, headers });
  try {
    for (const [index, guess] of guesses.entries()) {
      if (index > 0) await client.call("changeMyPassword", { body: { currentPassword: guesses[index - 1]!, newPassword: guess } });
      const { status, body } = await signIn(guess);
      expect([status, body.organization?.id]).toEqual([200, organizationId]);
    }
    // The owner is not locked out elsewhere, where the password now fits both accounts.
    const elsewhere = await identity.client.attempt("login", { body: { email: owner.email, password }, headers: await addressHeader("192.0.2.80") });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([409, "duplicate"]);
    const body = { email: owner.email, password, organizationId: owner.organizationId };
    expect((await identity.client.attempt("login", { body, headers })).status).toBe(429);
  } finally {
    await identity.stop();
  }
});

test("the device of one account with the address does not count instead of the client address while another account has it", async () => {
  const owner = await anOffice();
  const ownPassword = "the attacker's own passphrase";
  const { device, organizationId } = await anAccountOfAnother(owner, ownPassword);
  const identity = await startIdentity({ SIGN_IN_ATTEMPTS: "100" });
  const headers = { ...(await addressHeader("192.0.2.81")), Cookie: device };
  const signIn = async (chosen: object = {}) =>
    (await identity.client.attempt("login", { body: { email: owner.email, password: ownPassword, ...chosen }, headers })).status;
  try {
    const email = "nobody@neighbours.example";
    for (let attempt = 0; attempt < 49; attempt++)
      await identity.client.attempt("login", { body: { email, password }, headers: await addressHeader("192.0.2.81") });
    expect([await signIn(), await signIn(), await signIn({ organizationId })]).toEqual([200, 429, 200]);
  } finally {
    await identity.stop();
  }
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
