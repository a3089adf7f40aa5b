/** Proxies between the processes of a system, and adjustable clocks in its services and gateway. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Instance } from "../../../deploy/system/layout.ts";
import { services, type ProcessName } from "../../../deploy/system/secrets.ts";
import { startProxy, type Proxy, type ProxyMode } from "./proxy.ts";

export type Link = `${ProcessName}-${string}`;

export interface Proxies {
  /** Hook of `startSystem` that replaces the addresses in a process's environment by proxies. */
  adapt(instance: Instance, environment: Record<string, string>): Promise<Record<string, string>>;
  /** Sets the mode of the proxy of a link, such as `gateway-ledger`, `ledger-postgres` or `ledger-nats`. */
  setMode(link: Link, mode: ProxyMode): Promise<void>;
  /** Sets the clock offset of a process. Its monotonic clock is unaffected. */
  shiftClock(name: ProcessName, milliseconds: number): void;
  close(): Promise<void>;
}

/** Returns the environment variables of a process that contain an address, each with the process at that address. */
const addressVariables = (name: ProcessName): Record<string, string> => ({
  NATS_URL: "nats",
  ...(name === "gateway" ? {} : { [`${name.toUpperCase()}_DATABASE_URL`]: "postgres" }),
  ...Object.fromEntries(services.filter((other) => other !== name).map((other) => [`${other.toUpperCase()}_${name === "gateway" ? "URL" : "GRPC"}`, other])),
});

export function createProxies(directory: string): Proxies {
  const proxies = new Map<string, Proxy>();
  mkdirSync(directory, { recursive: true });
  const clockOf = (name: ProcessName) => join(directory, `${name}.clock`);

  async function proxyAddress(link: string, address: string): Promise<string> {
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(address)![1]);
    const proxy = await startProxy(port);
    proxies.set(link, proxy);
    return address.replace(`127.0.0.1:${port}`, `127.0.0.1:${proxy.port}`);
  }

  return {
    async adapt({ name }, environment) {
      const addresses = Object.entries(addressVariables(name)).filter(([variable]) => environment[variable] !== undefined);
      const replaced = await Promise.all(
        addresses.map(async ([variable, other]) => [variable, await proxyAddress(`${name}-${other}`, environment[variable]!)] as const),
      );
      return {
        ...environment,
        ...Object.fromEntries(replaced),
        CLOCK_FILE: clockOf(name),
        NODE_OPTIONS: `${environment["NODE_OPTIONS"] ?? ""} --import=${new URL("clock.mjs", import.meta.url).href}`.trim(),
      };
    },
    async setMode(link, mode) {
      const proxy = proxies.get(link);
      if (!proxy) throw new Error(`There is no link ${link}; the links are ${[...proxies.keys()].join(", ")}.`);
      await proxy.setMode(mode);
    },
    shiftClock(name, milliseconds) {
      // Renamed into place, so that a reader never sees a partial number.
      writeFileSync(`${clockOf(name)}.new`, String(milliseconds));
      renameSync(`${clockOf(name)}.new`, clockOf(name));
    },
    async close() {
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
    },
  };
}
