/** The requests of honest users in a soak test. Each must be answered with 200. */
import { randomInt } from "node:crypto";
import type { OperationId } from "@freehold/contract";
import { Client, type Request } from "../support/client.ts";
import { password } from "../support/office.ts";
import { aPayment } from "../support/tenancy.ts";
import type { Random } from "../systems/faults/random.ts";
import { aFile, type SoakOrganization } from "./clients.ts";

export interface Outcome {
  name: string;
  /** The response that was not expected; undefined for an expected one. */
  unexpected?: string | undefined;
  milliseconds: number;
}

type Action = (organization: SoakOrganization) => Promise<string | undefined>;

/** Returns the unexpected response of an operation, if it is not a 200. */
async function request<Id extends OperationId>(client: Client, id: Id, input: Request<Id> = {}): Promise<string | undefined> {
  const { status, text } = await client.attempt(id, input);
  return status === 200 ? undefined : `${status} ${text.slice(0, 300)}`;
}

/** Actions with their weights. Records that an action creates, except payments, are deleted by it. */
const actions: Record<string, { weight: number; act: Action }> = {
  getMe: { weight: 10, act: ({ admin }) => request(admin, "getMe") },
  getProperty: { weight: 12, act: ({ admin, tenancy }) => request(admin, "getProperty", { params: { id: tenancy.propertyId } }) },
  listProperties: { weight: 10, act: ({ admin }) => request(admin, "listProperties") },
  listCharges: { weight: 10, act: ({ admin }) => request(admin, "listCharges") },
  listLeaseLedger: { weight: 6, act: ({ admin, tenancy }) => request(admin, "listLeaseLedger", { params: { id: tenancy.leaseId } }) },
  listNotifications: { weight: 8, act: ({ admin }) => request(admin, "listNotifications") },
  listTenantPortalDocuments: { weight: 4, act: ({ tenantUser }) => request(tenantUser, "listTenantPortalDocuments") },
  search: { weight: 4, act: ({ admin }) => request(admin, "search", { query: { q: "Elm" } }) },
  getDashboard: { weight: 2, act: ({ admin }) => request(admin, "getDashboard") },
  downloadDocument: { weight: 4, act: ({ admin, documentId }) => request(admin, "downloadDocument", { params: { id: documentId } }) },
  updateVendor: {
    weight: 8,
    act: ({ admin, vendorId }) => request(admin, "updateVendor", { params: { id: vendorId }, body: { notes: `Called at ${Date.now()}.` } }),
  },
  recordPayment: {
    weight: 8,
    act: ({ admin, tenancy, chargeId }) =>
      request(admin, "recordPayment", { body: { ...aPayment(tenancy, 100), allocations: [{ chargeId, amountCents: 100 }] } }),
  },
  "createVendor, deleteVendor": {
    weight: 4,
    act: async ({ admin }) => {
      const { status, text, body } = await admin.attempt("createVendor", { body: { name: "Roof & Daughters" } });
      return status === 200 ? request(admin, "deleteVendor", { params: { id: body.vendor.id } }) : `${status} ${text}`;
    },
  },
  "uploadDocument, deleteDocument": {
    weight: 2,
    act: async ({ admin, tenancy }) => {
      const input = { body: { file: aFile(), entityType: "property" as const, entityId: tenancy.propertyId } };
      const { status, text, body } = await admin.attempt("uploadDocument", input);
      return status === 200 ? request(admin, "deleteDocument", { params: { id: body.document.id } }) : `${status} ${text}`;
    },
  },
  "login, logout": {
    weight: 1,
    act: async ({ admin, device }) => {
      const client = new Client(admin.baseUrl);
      const headers = { Cookie: device, "X-Forwarded-For": anAddress() };
      const { status, text, body } = await client.attempt("login", { body: { email: admin.email, password }, headers });
      if (status !== 200) return `${status} ${text}`;
      client.token = body.accessToken;
      return request(client, "logout");
    },
  },
};

/** Returns an address of a network of its own, because the sign-ins of a network are limited. */
const anAddress = () => `2001:db8:${randomInt(65_536).toString(16)}:${randomInt(65_536).toString(16)}::1`;

const tickets = Object.entries(actions).flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name));

/** Carries out a random action of a random organization. An error of the connection is an unexpected response. */
export async function actHonestly(organizations: readonly SoakOrganization[], random: Random): Promise<Outcome> {
  const name = tickets[random.integerBelow(tickets.length)]!;
  const organization = organizations[random.integerBelow(organizations.length)]!;
  const started = performance.now();
  const unexpected = await actions[name]!.act(organization).catch((error: unknown) => String((error as Error).cause ?? error));
  return { name, unexpected, milliseconds: performance.now() - started };
}
