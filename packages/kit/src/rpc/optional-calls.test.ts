import { expect, test } from "@jest/globals";
import { systemPrincipal } from "../auth/principal.ts";
import { OrgDb, type Database } from "../db/org-db.ts";
import { conflict, unavailable } from "../errors.ts";
import { optionalCalls } from "./optional-calls.ts";

const dbOf = (organizationId: string) => new OrgDb({} as Database, systemPrincipal(organizationId));
const [own, other] = [dbOf("0197a000-0000-7000-8000-000000000001"), dbOf("0197a000-0000-7000-8000-000000000002")];
const answer = (text: string) => () => Promise.resolve(text);
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a response that comes too late holds up no other call of the organization, until it has come", async () => {
  const call = optionalCalls(1);
  const slow = Promise.withResolvers<string>();
  expect(await call(own, "ledger", () => slow.promise)).toBeUndefined();
  let isSent = false;
  const send = () => {
    isSent = true;
    return Promise.resolve("second");
  };
  expect([await call(own, "ledger", send), isSent]).toEqual([undefined, false]);
  slow.resolve("first");
  await settled();
  expect([await call(own, "ledger", send), isSent]).toEqual(["second", true]);
});

test("other organizations and services are still called while a response is late, also when it fails later", async () => {
  const call = optionalCalls(1);
  const slow = Promise.withResolvers<string>();
  expect(await call(own, "ledger", () => slow.promise)).toBeUndefined();
  expect([await call(own, "identity", answer("names")), await call(other, "ledger", answer("amounts"))]).toEqual(["names", "amounts"]);
  slow.reject(new Error("The call has failed."));
  await settled();
  expect(await call(own, "ledger", answer("amounts"))).toBe("amounts");
});

test("an export waits for a late response, and for a service that owes another one", async () => {
  const call = optionalCalls(1);
  const slow = Promise.withResolvers<string>();
  expect(await call(own, "ledger", () => slow.promise)).toBeUndefined();
  const exporting = new OrgDb({ snapshot: {} } as Database, own.principal);
  const later = new Promise<string>((resolve) => setTimeout(resolve, 20, "amounts"));
  expect(await call(exporting, "ledger", () => later)).toBe("amounts");
  slow.resolve("late");
});

test("a call of an unavailable service has no response, and other errors are thrown", async () => {
  const call = optionalCalls(60_000);
  expect(await call(own, "ledger", () => Promise.reject(unavailable()))).toBeUndefined();
  await expect(call(own, "ledger", () => Promise.reject(conflict("The lease is active.", "invalid_transition")))).rejects.toThrow("The lease is active.");
});
