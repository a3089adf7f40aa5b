/** An organization of its own for each test file, and the people in it. */
import { randomUUID } from "node:crypto";
import type { Role } from "@freehold/contract/roles";
import { Client } from "./client.ts";
import { running } from "./running.ts";

export const password = "correct horse battery";

/** A signed-in user of an organization. */
export class Colleague extends Client {
  readonly organizationId: string;
  readonly userId: string;
  readonly email: string;
  constructor(client: Client, organizationId: string, userId: string, email: string) {
    super(client.baseUrl, client.token);
    this.cookie = client.cookie;
    this.organizationId = organizationId;
    this.userId = userId;
    this.email = email;
  }
}

/** The admin who signed the organization up, and a way to the others. */
export class Office extends Colleague {
  /** Another user of this organization's staff, invited and accepted through the link in the dev outbox. */
  async colleague(role: Extract<Role, "admin" | "manager" | "staff">): Promise<Colleague> {
    const email = anEmail();
    await this.call("createUser", { body: { email, fullName: `A ${role}`, role } });
    return acceptInvite(email, this.baseUrl);
  }

  /** A tenant with a portal account. */
  tenantUser(tenantId: string, leaseId?: string): Promise<Colleague> {
    return this.#portalUser((to) => this.call("createTenantInvite", { body: { tenantId, ...to, ...(leaseId && { leaseId }) } }));
  }

  /** An owner with a portal account. */
  ownerUser(ownerId: string): Promise<Colleague> {
    return this.#portalUser((to) => this.call("createOwnerInvite", { body: { ownerId, ...to } }));
  }

  /** A vendor with a portal account. */
  vendorUser(vendorId: string): Promise<Colleague> {
    return this.#portalUser((to) => this.call("createVendorInvite", { body: { vendorId, ...to } }));
  }

  async #portalUser(invite: (to: { email: string; channels: ["email"] }) => Promise<unknown>): Promise<Colleague> {
    const email = anEmail();
    await invite({ email, channels: ["email"] });
    return acceptInvite(email, this.baseUrl);
  }
}

export const anEmail = (): string => `${randomUUID()}@example.com`;

async function acceptInvite(email: string, baseUrl: string): Promise<Colleague> {
  const client = new Client(baseUrl);
  const { messages } = await client.call("listDevOutbox", { query: { to: email } });
  const token = messages[0]?.links
    .find((link) => link.includes("/invites/"))
    ?.split("/")
    .pop();
  if (!token) throw new Error(`No invite for ${email} in the dev outbox.`);
  const { accessToken, user, organization } = await client.call("acceptInvite", { params: { token }, body: { password } });
  client.token = accessToken;
  return new Colleague(client, organization.id, user.id, email);
}

/** Signs up a new organization on the running system. */
export async function anOffice(baseUrl: string = running().baseUrl): Promise<Office> {
  const client = new Client(baseUrl);
  const email = anEmail();
  const { accessToken, user, organization } = await client.call("signUp", {
    body: { organizationName: "Elm Street Management", fullName: "Ada Admin", email, password, timezone: "America/New_York" },
  });
  client.token = accessToken;
  return new Office(client, organization.id, user.id, email);
}
