/** The requests of a user of another organization during an attack. */
import { setTimeout as sleep } from "node:timers/promises";
import { percentile } from "../../bench/measure.ts";
import { Client } from "../../support/client.ts";
import { password, type Office } from "../../support/office.ts";

export interface Experience {
  statuses: number[];
  /** Time of 95 % of the requests at most, in milliseconds. */
  p95Ms: number;
  p99Ms: number;
}

/** Minimum time of a round of three requests, so that the user stays below its own rate limit on any machine. */
const ROUND_MS = 60;

/** Reads and writes one request after the other, then signs in on the device of an earlier sign-in. */
export async function act(office: Office, device: string, rounds: number): Promise<Experience> {
  const [statuses, times]: [number[], number[]] = [[], []];
  const timed = async (request: () => Promise<{ status: number }>) => {
    const started = performance.now();
    statuses.push((await request()).status);
    times.push(performance.now() - started);
  };
  for (let round = 0; round < rounds; round++) {
    const pause = sleep(ROUND_MS);
    await timed(() => office.attempt("getMe"));
    await timed(() => office.attempt("listProperties"));
    await timed(() => office.attempt("createVendor", { body: { name: `Vendor ${round}` } }));
    await pause;
  }
  await timed(() => new Client(office.baseUrl).attempt("login", { body: { email: office.email, password }, headers: { Cookie: device } }));
  return { statuses, p95Ms: Math.round(percentile(times, 0.95)), p99Ms: Math.round(percentile(times, 0.99)) };
}

/** Signs in and returns the cookie by which the device is known later. */
export async function signInOnDevice({ baseUrl, email }: Office): Promise<string> {
  const { headers } = await new Client(baseUrl).attempt("login", { body: { email, password } });
  return headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith("service_device="))!
    .split(";")[0]!;
}
