/** Hostile requests in a soak test. Each must be refused in the expected way, or cost nothing but the attacker's own connection. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { ADDRESS_HEADER, ASSERTION_HEADER } from "@freehold/kit/auth/assertion";
import { password } from "../support/office.ts";
import { connectionsTo, requestText } from "../systems/attack/sockets.ts";
import type { Random } from "../systems/faults/random.ts";
import type { SoakOrganization } from "./clients.ts";
import type { Outcome } from "./traffic.ts";

interface Hostility {
  baseUrl: string;
  /** Header by which the trusted proxy names the attacker's address. */
  address: { "X-Forwarded-For": string };
  attacker: SoakOrganization;
  victim: SoakOrganization;
}

/** Time for which an attacker holds a connection that does not send or read. */
const HELD_MS = 20_000;

const json = { "Content-Type": "application/json" };
const bearer = ({ admin }: SoakOrganization) => ({ Authorization: `Bearer ${admin.token}` });

/** Returns the unexpected response to a request, unless its status is expected. Every request may be limited. */
async function expectStatus({ baseUrl, address }: Hostility, expected: readonly number[], path: string, init: RequestInit = {}): Promise<string | undefined> {
  const response = await fetch(`${baseUrl}${path}`, { redirect: "manual", ...init, headers: { ...address, ...(init.headers as Record<string, string>) } });
  const text = await response.text();
  return [...expected, 429].includes(response.status) ? undefined : `${response.status} instead of ${expected.join(" or ")}: ${text.slice(0, 200)}`;
}

/** Opens a connection, sends a text and neither sends nor reads more until the gateway ends the connection or the time is over. */
async function holdConnection({ baseUrl }: Hostility, text: string): Promise<undefined> {
  const connections = connectionsTo(baseUrl);
  const [socket] = connections.open(1, () => text) as [import("node:net").Socket];
  await Promise.race([once(socket, "close"), new Promise((resolve) => setTimeout(resolve, HELD_MS).unref())]).catch(() => undefined);
  connections.close();
  return undefined;
}

/** Sends a request and breaks the connection at the first byte of the response. */
async function abandon({ baseUrl, address }: Hostility, path: string, headers: Record<string, string> = {}): Promise<string | undefined> {
  const controller = new AbortController();
  const { status } = await fetch(`${baseUrl}${path}`, { headers: { ...address, ...headers }, signal: controller.signal });
  controller.abort();
  return [200, 429].includes(status) ? undefined : `${status} instead of 200`;
}

const write = (hostility: Hostility, expected: readonly number[], body: string | Buffer, headers: Record<string, string> = {}) =>
  expectStatus(hostility, expected, "/api/vendors", { method: "POST", headers: { ...json, ...bearer(hostility.attacker), ...headers }, body });

const hostilities: Record<string, (hostility: Hostility) => Promise<string | undefined>> = {
  "wrong password": (hostility) =>
    expectStatus(hostility, [401], "/api/auth/login", {
      method: "POST",
      headers: json,
      body: JSON.stringify({ email: hostility.victim.admin.email, password: `${password}${randomUUID()}` }),
    }),
  "forged token": (hostility) => expectStatus(hostility, [401], "/api/properties", { headers: { Authorization: `Bearer ${forgedToken()}` } }),
  "token in another spelling": (hostility) =>
    expectStatus(hostility, [401], "/api/properties", { headers: { Authorization: `${bearer(hostility.attacker).Authorization}=` } }),
  "record of another organization": (hostility) =>
    expectStatus(hostility, [404], `/api/leases/${hostility.victim.tenancy.leaseId}`, { headers: bearer(hostility.attacker) }),
  "office operation of a tenant": (hostility) =>
    expectStatus(hostility, [403], "/api/leases", { headers: { Authorization: `Bearer ${hostility.attacker.tenantUser.token}` } }),
  "internal headers": (hostility) =>
    expectStatus(hostility, [401], "/api/properties", { headers: { [ASSERTION_HEADER]: "forged", [ADDRESS_HEADER]: "192.0.2.1" } }),
  "broken JSON": (hostility) => write(hostility, [400], '{"name": "Vendor"'),
  "NUL in a text": (hostility) => write(hostility, [400], String.raw`{"name": "Ven\u0000dor"}`),
  "JSON in another charset": (hostility) => write(hostility, [415], '{"name": "Vendor"}', { "Content-Type": "application/json; charset=utf-16" }),
  "body of two mebibytes": (hostility) => write(hostility, [400], Buffer.alloc(2_097_152, " ")),
  "deeply nested body": (hostility) => write(hostility, [400], `{"name": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
  "path that cannot be decoded": (hostility) => expectStatus(hostility, [400], "/api/leases/%ff"),
  "unknown path": (hostility) => expectStatus(hostility, [404], `/api/${randomUUID()}`),
  "reset e-mail of an unknown address": (hostility) =>
    expectStatus(hostility, [200], "/api/auth/password-reset/request", {
      method: "POST",
      headers: json,
      body: JSON.stringify({ email: `${randomUUID()}@example.com` }),
    }),
  "body that never comes": (hostility) =>
    holdConnection(hostility, requestText("POST", "/api/auth/login", { ...hostility.address, ...json, "Content-Length": "1000" }, "{")),
  "pipelined documents that are not read": (hostility) => holdConnection(hostility, requestText("GET", "/api/openapi.json", hostility.address).repeat(20)),
  "list that is not read": (hostility) =>
    holdConnection(hostility, requestText("GET", "/api/charges", { ...hostility.address, ...bearer(hostility.attacker) }).repeat(20)),
  "upload that is never completed": (hostility) =>
    holdConnection(
      hostility,
      requestText(
        "POST",
        "/api/documents",
        { ...hostility.address, ...bearer(hostility.attacker), "Content-Type": "multipart/form-data; boundary=x", "Content-Length": "1000000" },
        "--x\r\nContent-Disposition: form-data; name=file; filename=a.txt\r\n\r\n",
      ),
    ),
  "event stream that is left at once": (hostility) => abandon(hostility, `/api/events/stream?token=${hostility.attacker.admin.token}`),
  "download that is left at once": (hostility) => abandon(hostility, `/api/documents/${hostility.attacker.documentId}/download`, bearer(hostility.attacker)),
};

const base64Url = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const forgedToken = () =>
  `${base64Url({ alg: "EdDSA", kid: randomUUID() })}.${base64Url({ sub: randomUUID(), exp: 4_000_000_000 })}.${Buffer.alloc(64, 1).toString("base64url")}`;

const names = Object.keys(hostilities);

/** Carries out a random hostility from one of 250 addresses. The first organization is the attacker's. */
export async function actHostilely([attacker, ...victims]: readonly SoakOrganization[], baseUrl: string, random: Random): Promise<Outcome> {
  const name = names[random.integerBelow(names.length)]!;
  const address = { "X-Forwarded-For": `198.51.100.${random.integerBelow(250)}` };
  const hostility = { baseUrl, address, attacker: attacker!, victim: victims[random.integerBelow(victims.length)]! };
  const started = performance.now();
  const unexpected = await hostilities[name]!(hostility).catch((error: unknown) => String((error as Error).cause ?? error));
  return { name: `hostile: ${name}`, unexpected, milliseconds: performance.now() - started };
}
