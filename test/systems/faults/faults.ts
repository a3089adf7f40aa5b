/** The faults: how each is done and how it is undone. Nothing but the processes of the system at hand is touched, each by its id. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { processes, services, type ProcessName } from "../../../deploy/system/secrets.ts";
import type { System } from "../../../deploy/system/system.ts";
import { eventually } from "../../support/world.ts";
import type { ProxyMode } from "./proxy.ts";
import type { Link, Proxies } from "./proxies.ts";

export type Family = "F1" | "F2" | "F3" | "F4" | "F5" | "F6" | "F8";

/** What a fault is done to. */
export interface FaultTarget {
  system: System;
  proxies: Proxies;
  dataDir: string;
  /** How long processes stand still and wires swallow. */
  graySeconds: number;
}

export interface Fault {
  family: Family;
  name: string;
  /** Does it and undoes it; whoever called waits until the system is well again. */
  run(victim: FaultTarget): Promise<void>;
}

const MINUTE_MS = 60_000;
const CUT_MS = 1_500;
const WRONG_CLOCK_MS = 2_500;

async function kill({ system }: FaultTarget, name: string): Promise<void> {
  const { pid } = system.children.get(name)!;
  process.kill(pid!, "SIGKILL");
  await eventually(`new ${name}`, () => Promise.resolve(system.children.get(name)!.pid !== pid || undefined), 5_000);
}
const killFault = (family: Family, name: string): Fault => ({ family, name: `${name} is killed`, run: (victim) => kill(victim, name) });

const natsStoreLoss: Fault = {
  family: "F3",
  name: "nats loses its store",
  async run({ system, dataDir }) {
    const nats = system.children.get("nats")!;
    await nats.stop(0);
    rmSync(join(dataDir, "nats", "jetstream"), { recursive: true, force: true });
    await nats.restart();
  },
};

const natsAbsentAtBoot: Fault = {
  family: "F3",
  name: "everything boots without nats",
  async run({ system }) {
    const nats = system.children.get("nats")!;
    await nats.stop(0);
    await Promise.all(processes.map((name) => system.children.get(name)!.restart()));
    await sleep(CUT_MS);
    await nats.restart();
  },
};

const networkFault = (link: Link, wire: ProxyMode): Fault => ({
  family: "F4",
  name: `${link}: ${wire}`,
  async run({ proxies: wires, graySeconds }) {
    await wires.setMode(link, wire);
    await sleep(wire === "blackHole" ? graySeconds * 1_000 : CUT_MS);
    await wires.setMode(link, "pass");
  },
});

const pauseFault = (name: string): Fault => ({
  family: "F5",
  name: `${name} stands still`,
  async run({ system, graySeconds }) {
    const { pid } = system.children.get(name)!;
    process.kill(pid!, "SIGSTOP");
    await sleep(graySeconds * 1_000);
    process.kill(pid!, "SIGCONT");
  },
});

/** How far off a clock is: an hour, the life of an access token, or set to the next leap day. */
const clockOffsets = {
  "an hour ahead": () => 60 * MINUTE_MS,
  "an hour behind": () => -60 * MINUTE_MS,
  "15 minutes ahead": () => 15 * MINUTE_MS,
  "on a leap day": () => Date.UTC(2028, 1, 29, 12) - Date.now(),
};
const clockFault = (name: ProcessName, offset: keyof typeof clockOffsets): Fault => ({
  family: "F6",
  name: `the clock of ${name} is ${offset}`,
  async run({ proxies: wires }) {
    wires.shiftClock(name, clockOffsets[offset]());
    await sleep(WRONG_CLOCK_MS);
    wires.shiftClock(name, 0);
  },
});

const restartFault = (name: ProcessName): Fault => ({
  family: "F8",
  name: `${name} is restarted`,
  run: ({ system }) => system.children.get(name)!.restart(),
});

/** What is spoilt first; the rest of the links follow in the long form. */
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
const networkFaults = (which: readonly Link[]) => which.flatMap((link) => faultyModes.map((wire) => networkFault(link, wire)));

/** Every fault of each family, in the order they are drawn when there are fewer than all. */
export const catalogue: Record<Family, readonly Fault[]> = {
  F1: processes.map((name) => killFault("F1", name)),
  F2: [killFault("F2", "postgres")],
  F3: [killFault("F3", "nats"), natsStoreLoss, natsAbsentAtBoot],
  F4: [...networkFaults(busyLinks), ...networkFaults(links.filter((link) => !busyLinks.includes(link)))],
  F5: ["ledger", "gateway", "nats", "portfolio", "identity", "communications", "imports"].map(pauseFault),
  F6: (["ledger", "gateway", "identity", "portfolio", "communications", "imports"] as const).flatMap((_, turn, names) =>
    (Object.keys(clockOffsets) as (keyof typeof clockOffsets)[]).map((offset, index) => clockFault(names[(turn + index) % names.length]!, offset)),
  ),
  F8: processes.map(restartFault),
};

export const losesStore = (fault: Fault): boolean => fault === natsStoreLoss;
