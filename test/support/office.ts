/** Organizations for tests, with their users. */
import { randomUUID } from "node:crypto";
import type { OperationId } from "@freehold/contract";
import type { Role } from "@freehold/contract/roles";
import { Client, type Attempt, type Request } from "./client.ts";
import { running } from "./running.ts";
import { eventually } from "./eventually.ts";

export const password = "correct horse battery";

/** Client of a signed-in user of an organization, also of a portal user. */
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

/** Client of the admin who signed the organization up. Creates its other users. Confirms the e-mail address when an operation needs it. */
export class Office extends Colleague {
  override async attempt<Id extends OperationId>(id: Id, request: Request<Id> = {}): Promise<Attempt<Id>> {
    const response = await super.attempt(id, request);
    if (response.body.code !== "email_unconfirmed") return response;
    await confirmAddress(this.baseUrl, this.email);
    return super.attempt(id, request);
  }

  /** Creates an office user of the organization, who accepts the invite through the link in the dev outbox. */
  colleague(role: Extract<Role, "admin" | "manager" | "staff">): Promise<Colleague> {
    return acceptInvite(this.baseUrl, (email) => this.call("createUser", { body: { email, fullName: `A ${role}`, role } }));
  }

  /** Creates the portal user of a tenant. */
  tenantUser(tenantId: string, leaseId?: string): Promise<Colleague> {
    return this.#portalUser((recipient) => this.call("createTenantInvite", { body: { tenantId, ...recipient, ...(leaseId && { leaseId }) } }));
  }

  /** Creates the portal user of an owner. */
  ownerUser(ownerId: string): Promise<Colleague> {
    return this.#portalUser((recipient) => this.call("createOwnerInvite", { body: { ownerId, ...recipient } }));
  }

  /** Creates the portal user of a vendor. */
  vendorUser(vendorId: string): Promise<Colleague> {
    return this.#portalUser((recipient) => this.call("createVendorInvite", { body: { vendorId, ...recipient } }));
  }

  #portalUser(invite: (recipient: { email: string; channels: ["email"] }) => Promise<unknown>): Promise<Colleague> {
    return acceptInvite(this.baseUrl, (email) => invite({ email, channels: ["email"] }));
  }
}

/** Opens the newest confirmation link in the dev outbox that was mailed to an address. */
export async function confirmAddress(baseUrl: string, email: string): Promise<void> {
  const client = new Client(baseUrl);
  const token = await eventually("confirmation link in the dev outbox", async () => {
    const { messages } = await client.call("listDevOutbox", { query: { to: email } });
    const link = messages.flatMap(({ links }) => links).find((candidate) => candidate.includes("/email-confirmation/"));
    return link?.split("/").at(-1);
  });
  await client.attempt("confirmEmail", { body: { token } });
}

export const anEmail = (): string => `${randomUUID()}@example.com`;

/**
 * Sends an invite and accepts it through the link in the dev outbox. Invites another address if the message does not arrive, because a
 * service does not resend a message whose delivery timed out.
 */
async function acceptInvite(baseUrl: string, invite: (email: string) => Promise<unknown>): Promise<Colleague> {
  const client = new Client(baseUrl);
  const { email, token } = await eventually("invite in the dev outbox", async () => {
    const email = anEmail();
    await invite(email);
    const { messages } = await client.call("listDevOutbox", { query: { to: email } });
    const link = messages[0]?.links.find((candidate) => candidate.includes("/invites/"));
    return link !== undefined && { email, token: link.split("/").at(-1)! };
  });
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

/** Signs up an organization whose admin has confirmed the e-mail address. */
export async function aConfirmedOffice(): Promise<Office> {
  const office = await anOffice();
  await confirmAddress(office.baseUrl, office.email);
  return office;
}
