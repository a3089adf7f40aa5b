/** Demo organization, created through the API. */
import { setTimeout as sleep } from "node:timers/promises";
import { today } from "@freehold/kit/time/clock";
import { addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { demoLogins, demoPassword } from "../gateway/src/pages/demo-logins.ts";

const TIME_ZONE = "America/New_York";

type Json = Record<string, never>;

class Api {
  readonly #baseUrl: string;
  #token: string | undefined;
  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }
  async call<T = Json>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers: { ...(body !== undefined && { "Content-Type": "application/json" }), ...(this.#token && { Authorization: `Bearer ${this.#token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`The demo could not be seeded: ${method} ${path} returned ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
  async signUp(): Promise<void> {
    const { accessToken } = await this.call<{ accessToken: string }>("POST", "/api/auth/signup", {
      organizationName: "Demo Property Management",
      fullName: "Alex Admin",
      email: demoLogins[0]!.email,
      password: demoPassword,
      timezone: TIME_ZONE,
    });
    this.#token = accessToken;
  }
}

/** Returns the first day of the month that is a number of months from the current one, in the organization's time zone. */
const monthStart = (monthsFromNow: number): string => addMonths(startOfMonth(today(TIME_ZONE)), monthsFromNow);

/** Returns true if the demo's admin can already sign in. */
async function isSeeded(baseUrl: string): Promise<boolean> {
  const body = JSON.stringify({ email: demoLogins[0]!.email, password: demoPassword });
  const response = await fetch(`${baseUrl}/api/auth/login`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  return response.ok;
}

const MAX_OUTBOX_POLLS = 100;
const OUTBOX_POLL_MS = 100;

/** Confirms the admin's address with the link in the development outbox. Without an outbox the address stays unconfirmed. */
async function confirmAddress(api: Api): Promise<void> {
  for (let poll = 0; poll < MAX_OUTBOX_POLLS; poll++) {
    const outbox = await api.call<{ messages: { links: string[] }[] }>("GET", `/api/dev/outbox?to=${demoLogins[0]!.email}`).catch(() => undefined);
    if (!outbox) return;
    const link = outbox.messages.flatMap(({ links }) => links).find((candidate) => candidate.includes("/email-confirmation/"));
    if (link) {
      await api.call("POST", "/api/auth/email/confirm", { token: link.split("/").at(-1) });
      return;
    }
    await sleep(OUTBOX_POLL_MS);
  }
}

/** Creates the demo organization unless it exists. */
export async function seedDemo(baseUrl: string): Promise<void> {
  if (await isSeeded(baseUrl)) return;
  const api = new Api(baseUrl);
  await api.signUp();
  await confirmAddress(api);
  for (const role of ["manager", "staff"])
    await invite(api, "/api/accounts/users", role, { fullName: role === "manager" ? "Morgan Manager" : "Sam Staff", role });
  const portfolio = await seedPortfolio(api);
  await seedPortalUsers(api, portfolio);
  await seedLedger(api, portfolio);
}

interface Portfolio {
  tenantId: string;
  ownerId: string;
  vendorId: string;
  leaseId: string;
}

async function seedPortfolio(api: Api): Promise<Portfolio> {
  const { owner } = await api.call<{ owner: { id: string } }>("POST", "/api/owners", { fullName: "Olivia Owner", email: "owner@demo.example" });
  const { vendor } = await api.call<{ vendor: { id: string } }>("POST", "/api/vendors", {
    name: "Victor's Plumbing",
    email: "vendor@demo.example",
    trade: "plumbing",
  });
  const { property } = await api.call<{ property: { id: string } }>("POST", "/api/properties", {
    name: "Maple Court",
    streetLine1: "12 Maple Street",
    city: "Springfield",
    state: "NY",
    postalCode: "12345",
    units: 4,
    occupiedUnits: 0,
    ownerIds: [owner.id],
  });
  const units: string[] = [];
  for (const [index, unitNumber] of ["1A", "1B", "2A", "2B"].entries()) {
    const { unit } = await api.call<{ unit: { id: string } }>("POST", "/api/units", {
      propertyId: property.id,
      unitNumber,
      bedrooms: 2,
      bathrooms: 1,
      monthlyRentCents: 150_000 + index * 5_000,
    });
    units.push(unit.id);
  }
  const { tenant } = await api.call<{ tenant: { id: string } }>("POST", "/api/tenants", { fullName: "Taylor Tenant", email: "tenant@demo.example" });
  const { lease } = await api.call<{ lease: { id: string } }>("POST", "/api/leases", {
    propertyId: property.id,
    unitId: units[0],
    tenantId: tenant.id,
    startDate: monthStart(-1),
    endDate: monthStart(11),
    termType: "fixed",
    rentCents: 150_000,
    activate: true,
  });
  await api.call("POST", "/api/work-orders", { propertyId: property.id, unitId: units[0], vendorId: vendor.id, title: "Dripping kitchen tap" });
  await api.call("POST", "/api/notes", { entityType: "property", entityId: property.id, body: "Boiler serviced in spring.", visibility: "organization_only" });
  return { tenantId: tenant.id, ownerId: owner.id, vendorId: vendor.id, leaseId: lease.id };
}

async function seedPortalUsers(api: Api, { tenantId, leaseId, ownerId, vendorId }: Portfolio): Promise<void> {
  await invite(api, "/api/tenant-invites", "tenant", { tenantId, leaseId });
  await invite(api, "/api/owner-invites", "owner", { ownerId });
  await invite(api, "/api/vendor-invites", "vendor", { vendorId });
}

/** Invites a user and accepts the invite through its link. */
async function invite(api: Api, path: string, role: string, body: object): Promise<void> {
  const { inviteLink } = await api.call<{ inviteLink: string }>("POST", path, { ...body, email: `${role}@demo.example`, channels: ["email"] });
  await api.call("POST", `/api/auth/invites/${inviteLink.split("/").pop()}/accept`, { password: demoPassword });
}

async function seedLedger(api: Api, { tenantId, leaseId }: Portfolio): Promise<void> {
  await api.call("POST", "/api/charges/post-due", {});
  await api.call("POST", "/api/payments", {
    tenantId,
    leaseId,
    amountCents: 150_000,
    paymentMethod: "ach",
    receivedAt: new Date().toISOString(),
    idempotencyKey: "demo-first-rent",
    autoAllocate: true,
  });
}
