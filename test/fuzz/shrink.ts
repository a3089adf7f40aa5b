/** A failing request made as small as it can be while it still fails. */
import type { Thing } from "./pool.ts";
import { changedAt } from "./plan.ts";
import type { Sent } from "./request.ts";

/** Each attempt is a request. */
const MOST = 80;

/** Places of a body, outermost first: what is left out at the top saves the most attempts. */
function placesIn(value: unknown, at: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  const own = Object.keys(value).map((name) => [...at, name]);
  return [...own, ...Object.entries(value as Thing).flatMap(([name, each]) => placesIn(each, [...at, name]))];
}
const valueAt = (value: unknown, at: readonly string[]): unknown => at.reduce<unknown>((found, step) => (found as Thing | undefined)?.[step], value);

/** Every request that is one step smaller. */
function* smaller(sent: Sent): Generator<Sent> {
  const without = <T>(record: Record<string, T>, name: string) => Object.fromEntries(Object.entries(record).filter(([each]) => each !== name));
  for (const name of Object.keys(sent.headers)) yield { ...sent, headers: without(sent.headers, name) };
  for (const name of Object.keys(sent.query)) yield { ...sent, query: without(sent.query, name) };
  if (sent.raw !== undefined) return;
  for (const at of placesIn(sent.body)) {
    yield { ...sent, body: changedAt(sent.body, at, undefined) };
    const value = valueAt(sent.body, at);
    if (typeof value === "string" && value.length > 8) {
      yield { ...sent, body: changedAt(sent.body, at, value.slice(0, value.length / 2)) };
      yield { ...sent, body: changedAt(sent.body, at, value.slice(value.length / 2)) };
    }
  }
}

/** The smallest request found that still fails; the one given when it does not fail a second time. */
export async function shrunk(sent: Sent, stillBroken: (sent: Sent) => Promise<boolean>): Promise<Sent> {
  const fails = (candidate: Sent) => stillBroken(candidate).catch(() => false);
  let attempts = 0;
  let best = sent;
  if (!(await fails(sent))) return sent;
  for (let isSmaller = true; isSmaller && attempts < MOST;) {
    isSmaller = false;
    for (const candidate of smaller(best)) {
      if (attempts++ >= MOST) break;
      if (!(await fails(candidate))) continue;
      best = candidate;
      isSmaller = true;
      break;
    }
  }
  return best;
}
