/** Shrinks a failing request while it still fails. */
import type { Entity } from "./pool.ts";
import { replaceAt } from "./plan.ts";
import type { FuzzRequest } from "./request.ts";

/** Maximum requests sent while shrinking. */
const MAX_ATTEMPTS = 80;

/** Returns the paths of all members of a body, outermost first, since removing those saves the most attempts. */
function pathsIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  const outer = Object.keys(value).map((name) => [...path, name]);
  return [...outer, ...Object.entries(value as Entity).flatMap(([name, each]) => pathsIn(each, [...path, name]))];
}
const valueAt = (value: unknown, path: readonly string[]): unknown => path.reduce<unknown>((parent, name) => (parent as Entity | undefined)?.[name], value);

/** Yields every request that is one step smaller. */
function* smallerRequests(request: FuzzRequest): Generator<FuzzRequest> {
  const without = <T>(record: Record<string, T>, name: string) => Object.fromEntries(Object.entries(record).filter(([each]) => each !== name));
  for (const name of Object.keys(request.headers)) yield { ...request, headers: without(request.headers, name) };
  for (const name of Object.keys(request.query)) yield { ...request, query: without(request.query, name) };
  if (request.raw !== undefined) return;
  for (const path of pathsIn(request.body)) {
    yield { ...request, body: replaceAt(request.body, path, undefined) };
    const value = valueAt(request.body, path);
    if (typeof value === "string" && value.length > 8) {
      yield { ...request, body: replaceAt(request.body, path, value.slice(0, value.length / 2)) };
      yield { ...request, body: replaceAt(request.body, path, value.slice(value.length / 2)) };
    }
  }
}

/** Returns the smallest failing request found, or the original if it does not fail again. */
export async function shrinkRequest(request: FuzzRequest, isReproducedBy: (request: FuzzRequest) => Promise<boolean>): Promise<FuzzRequest> {
  const fails = (candidate: FuzzRequest) => isReproducedBy(candidate).catch(() => false);
  let attempts = 0;
  let best = request;
  if (!(await fails(request))) return request;
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
