import { isExport } from "../db/exports/once.ts";
import type { OrgDb } from "../db/org-db.ts";
import { ApiError } from "../errors.ts";

/** Returns the response of a call, or undefined while the called service is unavailable. */
export async function orUndefinedIfUnavailable<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) return undefined;
    throw error;
  }
}

/** Sends a call to a service whose response may be missing. Returns undefined while the service is unavailable or slow. */
export type OptionalCall = <T>(db: OrgDb, service: string, send: () => Promise<T>) => Promise<T | undefined>;

const LATE = Symbol("late");

/**
 * Returns a function that sends calls and waits at most `maxWaitMs` for a response. While a service still owes an organization a response
 * that nobody waits for any more, further calls of the organization to it are not sent and have no response. Exports, which are read later, wait.
 */
export function optionalCalls(maxWaitMs: number): OptionalCall {
  const lateCalls = new Map<string, number>();
  const countLate = (key: string, change: 1 | -1) => {
    const count = (lateCalls.get(key) ?? 0) + change;
    if (count > 0) lateCalls.set(key, count);
    else lateCalls.delete(key);
  };
  return async (db, service, send) => {
    if (isExport(db)) return orUndefinedIfUnavailable(send());
    const key = `${db.organizationId} ${service}`;
    if (lateCalls.has(key)) return undefined;
    const response = orUndefinedIfUnavailable(send());
    const { promise: late, resolve } = Promise.withResolvers<typeof LATE>();
    const timer = setTimeout(resolve, maxWaitMs, LATE);
    const first = await Promise.race([response, late]).finally(() => clearTimeout(timer));
    if (first !== LATE) return first;
    countLate(key, 1);
    const forget = () => countLate(key, -1);
    response.then(forget, forget);
    return undefined;
  };
}
