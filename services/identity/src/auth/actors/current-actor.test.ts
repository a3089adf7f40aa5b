import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { operations } from "@freehold/contract";
import type { Principal } from "@freehold/kit/auth/principal";
import type { Role } from "@freehold/contract/roles";
import { eventually } from "../../../../../test/support/eventually.ts";
import { anEmail, anOffice, type Office } from "../../../../../test/support/office.ts";
import { sampleBody, sampleQuery } from "../../../../../test/support/samples.ts";
import { anyId, fillPath, sweep } from "../../../../../test/sweeps/sweeping.ts";
import { assertionHeader } from "../../../test/assertion.ts";
import { expireServiceKeys, readRows, whileBeingDeactivated } from "../../../test/database.ts";
import { startIdentity } from "../../../test/process.ts";

let office: Office;
let identity: Awaited<ReturnType<typeof startIdentity>>;
const callers: Record<string, (role: Role) => Partial<Principal> & Pick<Principal, "userId">> = {};

beforeAll(async () => {
  [office, identity] = await Promise.all([anOffice(), startIdentity({})]);
  const change = (role: "admin" | "staff", body: object) =>
    office.colleague(role).then(async ({ userId }) => {
      await office.call("updateUser", { params: { id: userId }, body });
      return userId;
    });
  const [deactivated, demoted, reactivated] = [
    await change("admin", { isActive: false }),
    await change("admin", { role: "staff" }),
    await change("admin", { isActive: false }),
  ];
  await office.call("updateUser", { params: { id: reactivated }, body: { isActive: true } });
  const { userId: deleted } = await office.colleague("admin");
  await office.call("deleteUser", { params: { id: deleted } });
  const createKey = async (expiresAt?: string) =>
    (await office.call("createServiceKey", { body: { name: "Sync", role: "manager", ...(expiresAt && { expiresAt }) } })).serviceKey.id;
  const [revoked, rotated, expired] = [await createKey(), await createKey(), await createKey("2100-01-01T00:00:00.000Z")];
  await office.call("deleteServiceKey", { params: { id: revoked } });
  await office.call("rotateServiceKey", { params: { id: rotated } });
  await expireServiceKeys(office.organizationId);
  Object.assign(callers, {
    "an unknown user": (role: Role) => ({ userId: randomUUID(), role }),
    "a deactivated admin": () => ({ userId: deactivated }),
    "a deleted admin": () => ({ userId: deleted }),
    "a demoted admin with the old role": () => ({ userId: demoted }),
    "a reactivated admin with an old token": () => ({ userId: reactivated, accessVersion: 0 }),
    "a revoked service key": () => ({ userId: revoked, role: "manager" }),
    "an expired service key": () => ({ userId: expired, role: "manager" }),
    "a rotated service key with an old token": () => ({ userId: rotated, role: "manager", accessVersion: 0 }),
  });
});
afterAll(() => identity.stop());

const headersFor = (caller: Partial<Principal> & Pick<Principal, "userId">) => assertionHeader({ organizationId: office.organizationId, ...caller });

describe("a caller whose access has ended", () => {
  const restricted = operations.filter(({ service, operation }) => service === "identity" && operation.access !== "public");
  const cases = () =>
    restricted.flatMap((named) => {
      const access = named.operation.access as readonly Role[];
      return Object.entries(callers).flatMap(([name, callerFor]) => {
        const caller = { role: "admin" as const, ...callerFor(access[0]!) };
        return access.some((role) => role === caller.role) ? [{ ...named, name, caller }] : [];
      });
    });

  sweep("is refused with 401 by every operation of identity that needs a caller", cases, async ({ caller, ...named }) => {
    const query = new URLSearchParams(sampleQuery(named.operation, anyId)).toString();
    const { method } = named.operation;
    const body = method === "GET" ? undefined : sampleBody(named.operation);
    const response = await identity.client.raw(method, `${fillPath(named, anyId)}?${query}`, body, await headersFor(caller));
    const { code, message } = (await response.json()) as { code: string; message: string };
    expect([response.status, code, message]).toEqual([401, "token_expired", expect.stringMatching(/Sign in again\.$/)]);
  });

  test("is refused also while the access ends in the same moment, so that nothing is created", async () => {
    const { userId } = await office.colleague("admin");
    const email = anEmail();
    const headers = await headersFor({ userId });
    let response: Promise<number> | undefined;
    await whileBeingDeactivated(office.organizationId, userId, async (isBlocking) => {
      response = identity.client.attempt("createUser", { body: { email, fullName: "Ivy", role: "admin" }, headers }).then(({ status }) => status);
      await eventually("request that waits for the deactivation", async () => await isBlocking());
    });
    expect(await response).toBe(401);
    expect((await readRows(office.organizationId, "app_user")).filter((user) => user["email"] === email)).toEqual([]);
  });
});

test("a caller with the current access version, or without one, is accepted", async () => {
  const caller = { userId: office.userId };
  for (const accessVersion of [{}, { accessVersion: 0 }]) {
    const headers = await headersFor({ ...caller, ...accessVersion });
    expect((await identity.client.attempt("getMe", { headers })).status).toBe(200);
    expect((await identity.client.attempt("updateMe", { body: { fullName: "Ada" }, headers })).status).toBe(200);
  }
});
