/** The end of access: after each change that ends it, no token, session or stream from before it gives access any more. */
import { describe, expect, test } from "@jest/globals";
import type { Colleague, Office } from "./support/office.ts";
import { anOffice, password } from "./support/office.ts";
import { Client } from "./support/client.ts";
import { EventReader } from "./support/events/stream.ts";
import { eventually } from "./support/eventually.ts";
import { running } from "./support/running.ts";

const anonymous = new Client(running().baseUrl);

interface Access {
  client: Client;
  /** Sends a request of each kind, by its kind, and returns the status. */
  requests: Record<"read" | "write" | "download", () => Promise<number>>;
  end: () => Promise<unknown>;
  /** Requests a token with the session or the secret, and returns the status. */
  refresh: () => Promise<number>;
}

const officeRequests = (client: Client): Access["requests"] => ({
  read: async () => (await client.attempt("listProperties")).status,
  write: async () => (await client.attempt("createVendor", { body: { name: "Vera Vendor" } })).status,
  download: async () => (await client.raw("GET", "/api/import-bundles/templates/generic")).status,
});

const refreshSession = (client: Client) => async () => (await client.attempt("refreshToken", { body: { grantType: "refresh_token" } })).status;

const user =
  (end: (office: Office, colleague: Colleague) => Promise<unknown>) =>
  async (office: Office): Promise<Access> => {
    const client = await office.colleague("manager");
    return { client, requests: officeRequests(client), end: () => end(office, client), refresh: refreshSession(client) };
  };

const key =
  (end: (office: Office, id: string) => Promise<unknown>) =>
  async (office: Office): Promise<Access> => {
    const { serviceKey, clientSecret } = await office.call("createServiceKey", { body: { name: "Sync", role: "manager" } });
    const body = { grantType: "client_credentials" as const, clientId: serviceKey.clientId, clientSecret };
    const { accessToken } = await anonymous.call("refreshToken", { body });
    const refresh = async () => (await anonymous.attempt("refreshToken", { body })).status;
    const client = new Client(running().baseUrl, accessToken);
    return { client, requests: officeRequests(client), end: () => end(office, serviceKey.id), refresh };
  };

type OpenPerson = (office: Office) => Promise<{ client: Colleague; end: () => Promise<unknown> }>;

/** Opens the access of a portal user, which ends with the tenant, owner or vendor. */
const portal =
  (open: OpenPerson) =>
  async (office: Office): Promise<Access> => {
    const { client, end } = await open(office);
    const requests = {
      read: async () => (await client.attempt("getMe")).status,
      write: async () => (await client.attempt("updateMe", { body: { fullName: "Pat Person" } })).status,
      download: async () => (await client.raw("GET", "/api/notifications", undefined, { Accept: "text/csv" })).status,
    };
    return { client, requests, end, refresh: refreshSession(client) };
  };

async function resetPassword(_office: Office, { email }: Colleague): Promise<void> {
  await anonymous.call("requestPasswordReset", { body: { email } });
  const token = await eventually("reset link", async () => {
    const { messages } = await anonymous.call("listDevOutbox", { query: { to: email } });
    const link = messages.flatMap(({ links }) => links).find((each) => each.includes("/password-reset/"));
    return link?.split("/").at(-1);
  });
  await new Client(running().baseUrl).call("confirmPasswordReset", { body: { token, newPassword: `${password} again` } });
}

const update =
  (body: { isActive: boolean } | { role: "staff" }) =>
  (office: Office, { userId }: Colleague) =>
    office.call("updateUser", { params: { id: userId }, body });

const deletions: Record<string, OpenPerson> = {
  "the deletion of a tenant": async (office) => {
    const { tenant } = await office.call("createTenant", { body: { fullName: "Tess Tenant" } });
    return { client: await office.tenantUser(tenant.id), end: () => office.call("deleteTenant", { params: { id: tenant.id } }) };
  },
  "the deletion of an owner": async (office) => {
    const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email: "olga.owner@access-ends.example" } });
    return { client: await office.ownerUser(owner.id), end: () => office.call("deleteOwner", { params: { id: owner.id } }) };
  },
  "the deletion of a vendor": async (office) => {
    const { vendor } = await office.call("createVendor", { body: { name: "Vic Vendor" } });
    return { client: await office.vendorUser(vendor.id), end: () => office.call("deleteVendor", { params: { id: vendor.id } }) };
  },
};

const changes: Record<string, (office: Office) => Promise<Access>> = {
  "a deactivation": user(update({ isActive: false })),
  "a deletion": user((office, { userId }) => office.call("deleteUser", { params: { id: userId } })),
  "another role": user(update({ role: "staff" })),
  "a password reset": user(resetPassword),
  ...Object.fromEntries(Object.entries(deletions).map(([deletion, open]) => [deletion, portal(open)])),
  "the revocation of a service key": key((office, id) => office.call("deleteServiceKey", { params: { id } })),
  "the rotation of a service key": key((office, id) => office.call("rotateServiceKey", { params: { id } })),
};

describe.each(Object.keys(changes))("%s", (change) => {
  test("ends reading, writing, downloads, streams and the session", async () => {
    const office = await anOffice();
    const { client, requests, end, refresh } = await changes[change]!(office);
    const attempts = {
      ...requests,
      stream: async () => (await fetch(`${running().baseUrl}/api/events/stream?token=${client.token}`, { signal: AbortSignal.timeout(30_000) })).status,
    };
    expect([await refresh(), await attempts.read(), await attempts.write(), await attempts.download()]).toEqual([200, 200, 200, 200]);
    const stream = await EventReader.open(running().baseUrl, client.token!);
    await end();
    await eventually("the refusal of the token", async () => (await attempts.read()) === 401);
    expect([await attempts.write(), await attempts.download(), await attempts.stream()]).toEqual([401, 401, 401]);
    await stream.ended;
    expect(await refresh()).toBe(401);
  });
});

test.each(Object.entries(deletions))("%s ends the sign-in with the password", async (_, open) => {
  const { client, end } = await open(await anOffice());
  const signIn = async () => (await new Client(running().baseUrl).attempt("login", { body: { email: client.email, password } })).status;
  expect(await signIn()).toBe(200);
  await end();
  await eventually("the refusal of the sign-in", async () => (await signIn()) === 401);
});
