/** Puts a wire that can be spoilt between every two processes of a system, and a clock that can be shifted into each of ours. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Instance } from "../../../deploy/system/layout.ts";
import { services, type ProcessName } from "../../../deploy/system/secrets.ts";
import { startProxy, type Proxy, type ProxyMode } from "./proxy.ts";

export type Link = `${ProcessName}-${string}`;

export interface Proxies {
  /** The hook of `startSystem` that tells each process of the wires instead of the places behind them. */
  adapt(instance: Instance, environment: Record<string, string>): Promise<Record<string, string>>;
  /** Spoils or mends what lies between two of them, as `gateway-ledger`, `ledger-postgres` or `ledger-nats`. */
  setMode(link: Link, wire: ProxyMode): Promise<void>;
  /** How far the clock of a process is off from now on; its monotonic time is never touched. */
  shiftClock(name: ProcessName, milliseconds: number): void;
  close(): Promise<void>;
}

/** Which variables of a process say where another one is. */
const addressVariables = (name: ProcessName): Record<string, string> => ({
  NATS_URL: "nats",
  ...(name === "gateway" ? {} : { [`${name.toUpperCase()}_DATABASE_URL`]: "postgres" }),
  ...Object.fromEntries(services.filter((other) => other !== name).map((other) => [`${other.toUpperCase()}_${name === "gateway" ? "URL" : "GRPC"}`, other])),
});

export function createProxies(directory: string): Proxies {
  const proxies = new Map<string, Proxy>();
  mkdirSync(directory, { recursive: true });
  const clockOf = (name: ProcessName) => join(directory, `${name}.clock`);

  async function wired(link: string, place: string): Promise<string> {
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(place)![1]);
    const proxy = await startProxy(port);
    proxies.set(link, proxy);
    return place.replace(`127.0.0.1:${port}`, `127.0.0.1:${proxy.port}`);
  }

  return {
    async adapt({ name }, environment) {
      const places = Object.entries(addressVariables(name)).filter(([variable]) => environment[variable] !== undefined);
      const rewired = await Promise.all(places.map(async ([variable, other]) => [variable, await wired(`${name}-${other}`, environment[variable]!)] as const));
      return {
        ...environment,
        ...Object.fromEntries(rewired),
        CLOCK_FILE: clockOf(name),
        NODE_OPTIONS: `${environment["NODE_OPTIONS"] ?? ""} --import=${new URL("clock.mjs", import.meta.url).href}`.trim(),
      };
    },
    async setMode(link, wire) {
      const proxy = proxies.get(link);
      if (!proxy) throw new Error(`There is no wire ${link}; there are ${[...proxies.keys()].join(", ")}.`);
      await proxy.setMode(wire);
    },
    shiftClock(name, milliseconds) {
      // In one step: a reader never sees half of a number.
      writeFileSync(`${clockOf(name)}.new`, String(milliseconds));
      renameSync(`${clockOf(name)}.new`, clockOf(name));
    },
    async close() {
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
    },
  };
}
