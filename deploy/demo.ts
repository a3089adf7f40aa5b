/** Demo organization, created through the API. Each step looks for what an interrupted seeding has left, so that the next start completes it. */
import { setTimeout as sleep } from "node:timers/promises";
import { today } from "@freehold/kit/time/clock";
import { addMonths, startOfMonth } from "@freehold/kit/time/plain-date";
import { demoLogins, demoPassword } from "../gateway/src/pages/demo-logins.ts";
import { signInToDemo, type DemoClient } from "./demo-client.ts";

const TIME_ZONE = "America/New_York";
const adminEmail = demoLogins[0]!.email;

/** Returns the first day of the month that is a number of months from the current one, in the organization's time zone. */
const monthStart = (monthsFromNow: number): string => addMonths(startOfMonth(today(TIME_ZONE)), monthsFromNow);

/** Returns true if the admin of a demo that was seeded earlier can sign in. */
export const hasDemoLogins = async (baseUrl: string): Promise<boolean> => (await signInToDemo(baseUrl, adminEmail).catch(() => undefined)) !== undefined;

/** Creates the demo organization, or completes it. Calls `onStart` unless it is complete. */
export async function seedDemo(baseUrl: string, onStart: () => void = () => undefined): Promise<void> {
  const existing = await signInToDemo(baseUrl, adminEmail);
  // The payment is the last thing that the seeding creates.
  if (existing && (await existing.first("/api/payments"))) return;
  onStart();
  const client = existing ?? (await signUp(baseUrl));
  await confirmAddress(client);
  for (const [role, fullName] of [
    ["manager", "Morgan Manager"],
    ["staff", "Sam Staff"],
  ] as const)
    await ensureOfficeUser(baseUrl, client, role, fullName);
  const portfolio = await seedPortfolio(client);
  await seedPortalUsers(baseUrl, client, portfolio);
  await seedLedger(client, portfolio);
}

async function signUp(baseUrl: string): Promise<DemoClient> {
  const response = await fetch(`${baseUrl}/api/auth/signup`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      organizationName: "Demo Property Management",
      fullName: "Alex Admin",
      email: adminEmail,
      password: demoPassword,
      timezone: TIME_ZONE,
    }),
  });
  const client = response.ok ? await signInToDemo(baseUrl, adminEmail) : undefined;
  if (!client) throw new Error(`The demo could not be seeded: its sign-up returned ${response.status} ${await response.text()}`);
  return client;
}

const MAX_OUTBOX_POLLS = 100;
const OUTBOX_POLL_MS = 100;

/** Confirms the admin's address with the link in the development outbox. Without an outbox the address stays unconfirmed. */
async function confirmAddress(client: DemoClient): Promise<void> {
  for (let poll = 0; poll < MAX_OUTBOX_POLLS; poll++) {
    if ((await client.call<{ user: { emailConfirmedAt: string | null } }>("GET", "/api/auth/me")).user.emailConfirmedAt) return;
    const outbox = await client.call<{ messages: { links: string[] }[] }>("GET", `/api/dev/outbox?to=${adminEmail}`).catch(() => undefined);
    if (!outbox) return;
    const link = outbox.messages.flatMap(({ links }) => links).find((candidate) => candidate.includes("/email-confirmation/"));
    if (link) await client.call("POST", "/api/auth/email/confirm", { token: link.split("/").at(-1) });
    else await sleep(OUTBOX_POLL_MS);
  }
}

interface Portfolio {
  tenantId: string;
  ownerId: string;
  vendorId: string;
  leaseId: string;
}

async function seedPortfolio(client: DemoClient): Promise<Portfolio> {
  const ownerId = await client.ensure("/api/owners", "owner", { fullName: "Olivia Owner", email: "owner@demo.example" });
  const vendorId = await client.ensure("/api/vendors", "vendor", { name: "Victor's Plumbing", email: "vendor@demo.example", trade: "plumbing" });
  const propertyId = await client.ensure("/api/properties", "property", {
    name: "Maple Court",
    streetLine1: "12 Maple Street",
    city: "Springfield",
    state: "NY",
    postalCode: "12345",
    units: 4,
    occupiedUnits: 0,
    ownerIds: [ownerId],
  });
  const units: string[] = [];
  for (const [index, unitNumber] of ["1A", "1B", "2A", "2B"].entries()) {
    const unit = { propertyId, unitNumber, bedrooms: 2, bathrooms: 1, monthlyRentCents: 150_000 + index * 5_000 };
    units.push(await client.ensure("/api/units", "unit", unit, `?search=${unitNumber}`));
  }
  const [unitId] = units;
  const tenantId = await client.ensure("/api/tenants", "tenant", { fullName: "Taylor Tenant", email: "tenant@demo.example" });
  const term = { startDate: monthStart(-1), endDate: monthStart(11), termType: "fixed" };
  const leaseId = await client.ensure("/api/leases", "lease", { propertyId, unitId, tenantId, ...term, rentCents: 150_000, activate: true });
  await client.ensure("/api/work-orders", "workOrder", { propertyId, unitId, vendorId, title: "Dripping kitchen tap" });
  const note = { entityType: "property", entityId: propertyId, body: "Boiler serviced in spring.", visibility: "organization_only" };
  await client.ensure("/api/notes", "note", note, `?entityType=property&entityId=${propertyId}`);
  return { tenantId, ownerId, vendorId, leaseId };
}

/** Creates an office user through an invite, or resends the invite of one who has not accepted it. */
async function ensureOfficeUser(baseUrl: string, client: DemoClient, role: string, fullName: string): Promise<void> {
  const email = `${role}@demo.example`;
  const existing = await client.first(`/api/accounts/users?search=${email}`);
  if (!existing) await acceptInvite(client, "/api/accounts/users", { email, role, fullName, channels: ["email"] });
  else if (!(await signInToDemo(baseUrl, email))) await acceptInvite(client, `/api/accounts/users/${existing}/resend-invite`);
}

async function seedPortalUsers(baseUrl: string, client: DemoClient, { tenantId, leaseId, ownerId, vendorId }: Portfolio): Promise<void> {
  const subjects = { tenant: { tenantId, leaseId }, owner: { ownerId }, vendor: { vendorId } };
  for (const [role, subject] of Object.entries(subjects)) {
    const email = `${role}@demo.example`;
    const accepted = await client.first(`/api/${role}-invites?status=accepted`);
    if (!accepted || !(await signInToDemo(baseUrl, email))) await acceptInvite(client, `/api/${role}-invites`, { ...subject, email, channels: ["email"] });
  }
}

/** Sends an invite and accepts it through its link. */
async function acceptInvite(client: DemoClient, path: string, body?: object): Promise<void> {
  const { inviteLink } = await client.call<{ inviteLink: string }>("POST", path, body);
  await client.call("POST", `/api/auth/invites/${inviteLink.split("/").pop()}/accept`, { password: demoPassword });
}

async function seedLedger(client: DemoClient, { tenantId, leaseId }: Portfolio): Promise<void> {
  await client.call("POST", "/api/charges/post-due", {});
  await client.call("POST", "/api/payments", {
    tenantId,
    leaseId,
    amountCents: 150_000,
    paymentMethod: "ach",
    receivedAt: new Date().toISOString(),
    idempotencyKey: "demo-first-rent",
    autoAllocate: true,
  });
}
