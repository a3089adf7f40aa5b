/** Shrinks a failing request while it still fails. */
import type { Entity } from "./pool.ts";
import { replaceAt } from "./plan.ts";
import type { FuzzRequest } from "./request.ts";

/** Maximum requests sent while shrinking. */
const MAX_ATTEMPTS = 80;

/** Returns the paths of a body, outermost first, since removing those saves the most attempts. */
function pathsIn(value: unknown, at: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  const own = Object.keys(value).map((name) => [...at, name]);
  return [...own, ...Object.entries(value as Entity).flatMap(([name, each]) => pathsIn(each, [...at, name]))];
}
const valueAt = (value: unknown, at: readonly string[]): unknown => at.reduce<unknown>((found, step) => (found as Entity | undefined)?.[step], value);

/** Yields every request that is one step smaller. */
function* smallerRequests(sent: FuzzRequest): Generator<FuzzRequest> {
  const without = <T>(record: Record<string, T>, name: string) => Object.fromEntries(Object.entries(record).filter(([each]) => each !== name));
  for (const name of Object.keys(sent.headers)) yield { ...sent, headers: without(sent.headers, name) };
  for (const name of Object.keys(sent.query)) yield { ...sent, query: without(sent.query, name) };
  if (sent.raw !== undefined) return;
  for (const at of pathsIn(sent.body)) {
    yield { ...sent, body: replaceAt(sent.body, at, undefined) };
    const value = valueAt(sent.body, at);
    if (typeof value === "string" && value.length > 8) {
      yield { ...sent, body: replaceAt(sent.body, at, value.slice(0, value.length / 2)) };
      yield { ...sent, body: replaceAt(sent.body, at, value.slice(value.length / 2)) };
    }
  }
}

/** Returns the smallest failing request found, or the original if it does not fail again. */
export async function shrinkRequest(sent: FuzzRequest, stillBroken: (sent: FuzzRequest) => Promise<boolean>): Promise<FuzzRequest> {
  const fails = (candidate: FuzzRequest) => stillBroken(candidate).catch(() => false);
  let attempts = 0;
  let best = sent;
  if (!(await fails(sent))) return sent;
  for (let isSmaller = true; isSmaller && attempts < MAX_ATTEMPTS;) {
    isSmaller = false;
    for (const candidate of smallerRequests(best)) {
      if (attempts++ >= MAX_ATTEMPTS) break;
      if (!(await fails(candidate))) continue;
      best = candidate;
      isSmaller = true;
      break;
    }
  }
  return best;
}
