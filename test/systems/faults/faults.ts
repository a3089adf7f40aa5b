/** The faults, and how each is injected and reverted. Signals are sent by process id, only to processes of the given system. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { processes, services, type ProcessName } from "../../../deploy/system/secrets.ts";
import type { System } from "../../../deploy/system/system.ts";
import { eventually } from "../../support/eventually.ts";
import type { ProxyMode } from "./proxy.ts";
import type { Link, Proxies } from "./proxies.ts";

/** Fault family, numbered as in docs/reliability.md: F1 killed process, F2 killed PostgreSQL, F3 NATS, F4 network, F5 paused process, F6 clock, F8 restart. */
export type Family = "F1" | "F2" | "F3" | "F4" | "F5" | "F6" | "F8";

/** System that faults are injected into. */
export interface FaultTarget {
  system: System;
  proxies: Proxies;
  dataDir: string;
  /** Duration of paused processes and black holes. */
  graySeconds: number;
}

export interface Fault {
  family: Family;
  name: string;
  /** Injects and reverts the fault. The caller waits for the recovery. */
  run(target: FaultTarget): Promise<void>;
}

const MINUTE_MS = 60_000;
const CUT_MS = 1_500;
const WRONG_CLOCK_MS = 2_500;

async function kill({ system }: FaultTarget, name: string): Promise<void> {
  const { pid } = system.children.get(name)!;
  process.kill(pid!, "SIGKILL");
  await eventually(`new ${name}`, () => system.children.get(name)!.pid !== pid);
}
const killFault = (family: Family, name: string): Fault => ({ family, name: `${name} is killed`, run: (target) => kill(target, name) });

const natsStoreLoss: Fault = {
  family: "F3",
  name: "nats store deleted",
  async run({ system, dataDir }) {
    const nats = system.children.get("nats")!;
    await nats.stop(0);
    rmSync(join(dataDir, "nats", "jetstream"), { recursive: true, force: true });
    await nats.restart();
  },
};

const restartWithoutNats: Fault = {
  family: "F3",
  name: "all processes restarted without nats",
  async run({ system }) {
    const nats = system.children.get("nats")!;
    await nats.stop(0);
    await Promise.all(processes.map((name) => system.children.get(name)!.restart()));
    await sleep(CUT_MS);
    await nats.restart();
  },
};

const networkFault = (link: Link, mode: ProxyMode): Fault => ({
  family: "F4",
  name: `${link}: ${mode}`,
  async run({ proxies, graySeconds }) {
    await proxies.setMode(link, mode);
    await sleep(mode === "blackHole" ? graySeconds * 1_000 : CUT_MS);
    await proxies.setMode(link, "pass");
  },
});

const pauseFault = (name: string): Fault => ({
  family: "F5",
  name: `${name} paused`,
  async run({ system, graySeconds }) {
    const { pid } = system.children.get(name)!;
    process.kill(pid!, "SIGSTOP");
    await sleep(graySeconds * 1_000);
    process.kill(pid!, "SIGCONT");
  },
});

/** Clock offsets in milliseconds: an hour, the lifetime of an access token, or the next leap day. */
const clockOffsets = {
  "an hour ahead": () => 60 * MINUTE_MS,
  "an hour behind": () => -60 * MINUTE_MS,
  "15 minutes ahead": () => 15 * MINUTE_MS,
  "on a leap day": () => Date.UTC(2028, 1, 29, 12) - Date.now(),
};
const clockFault = (name: ProcessName, offset: keyof typeof clockOffsets): Fault => ({
  family: "F6",
  name: `the clock of ${name} is ${offset}`,
  async run({ proxies }) {
    proxies.shiftClock(name, clockOffsets[offset]());
    await sleep(WRONG_CLOCK_MS);
    proxies.shiftClock(name, 0);
  },
});

const restartFault = (name: ProcessName): Fault => ({
  family: "F8",
  name: `${name} is restarted`,
  run: ({ system }) => system.children.get(name)!.restart(),
});

/** Links that get network faults first; the other links follow in longer runs. */
const busyLinks: Link[] = ["gateway-ledger", "ledger-postgres", "ledger-nats"];
const links: Link[] = [
  ...services.map((name): Link => `gateway-${name}`),
  ...services.map((name): Link => `${name}-postgres`),
  ...processes.map((name): Link => `${name}-nats`),
  "ledger-portfolio",
  "portfolio-ledger",
  "communications-identity",
];
const faultyModes: ProxyMode[] = ["cut", "blackHole", "loseReplies"];
const networkFaults = (affectedLinks: readonly Link[]) => affectedLinks.flatMap((link) => faultyModes.map((mode) => networkFault(link, mode)));

/** Faults of each family, in the order in which a run uses them: a shorter run uses the first ones, a longer one repeats them. */
export const catalogue: Record<Family, readonly Fault[]> = {
  F1: processes.map((name) => killFault("F1", name)),
  F2: [killFault("F2", "postgres")],
  F3: [killFault("F3", "nats"), natsStoreLoss, restartWithoutNats],
  F4: [...networkFaults(busyLinks), ...networkFaults(links.filter((link) => !busyLinks.includes(link)))],
  F5: ["ledger", "gateway", "nats", "portfolio", "identity", "communications", "imports"].map(pauseFault),
  // Each round pairs every clock offset with another process, so that a short run varies both.
  F6: (["ledger", "gateway", "identity", "portfolio", "communications", "imports"] as const).flatMap((_, round, names) =>
    (Object.keys(clockOffsets) as (keyof typeof clockOffsets)[]).map((offset, index) => clockFault(names[(round + index) % names.length]!, offset)),
  ),
  F8: processes.map(restartFault),
};

export const deletesStore = (fault: Fault): boolean => fault === natsStoreLoss;
