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
  end: () => Promise<unknown>;
  /** Requests a token with the session or the secret, and returns the status. */
  refresh: () => Promise<number>;
}

const user =
  (end: (office: Office, colleague: Colleague) => Promise<unknown>) =>
  async (office: Office): Promise<Access> => {
    const client = await office.colleague("manager");
    const refresh = async () => (await client.attempt("refreshToken", { body: { grantType: "refresh_token" } })).status;
    return { client, end: () => end(office, client), refresh };
  };

const key =
  (end: (office: Office, id: string) => Promise<unknown>) =>
  async (office: Office): Promise<Access> => {
    const { serviceKey, clientSecret } = await office.call("createServiceKey", { body: { name: "Sync", role: "manager" } });
    const body = { grantType: "client_credentials" as const, clientId: serviceKey.clientId, clientSecret };
    const { accessToken } = await anonymous.call("refreshToken", { body });
    const refresh = async () => (await anonymous.attempt("refreshToken", { body })).status;
    return { client: new Client(running().baseUrl, accessToken), end: () => end(office, serviceKey.id), refresh };
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

const changes: Record<string, (office: Office) => Promise<Access>> = {
  "a deactivation": user(update({ isActive: false })),
  "a deletion": user((office, { userId }) => office.call("deleteUser", { params: { id: userId } })),
  "another role": user(update({ role: "staff" })),
  "a password reset": user(resetPassword),
  "the revocation of a service key": key((office, id) => office.call("deleteServiceKey", { params: { id } })),
  "the rotation of a service key": key((office, id) => office.call("rotateServiceKey", { params: { id } })),
};

describe.each(Object.keys(changes))("%s", (change) => {
  test("ends reading, writing, downloads, streams and the session", async () => {
    const office = await anOffice();
    const { client, end, refresh } = await changes[change]!(office);
    const attempts = {
      read: async () => (await client.attempt("listProperties")).status,
      write: async () => (await client.attempt("createVendor", { body: { name: "Vera Vendor" } })).status,
      download: async () => (await client.raw("GET", "/api/import-bundles/templates/generic")).status,
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
