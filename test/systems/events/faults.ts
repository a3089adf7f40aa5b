/** What happens to the bus, the relay and the consumers meanwhile. Only processes of the system at hand are ended, each by its id. */
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { supervise, type Supervised } from "../../../deploy/system/supervise.ts";
import type { System } from "../../../deploy/system/system.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

const kill = (child: Supervised): void => {
  if (child.pid !== undefined) process.kill(child.pid, "SIGKILL");
};

export interface SystemFaults {
  /** The relay of portfolio dies with the process that holds it, while it publishes. */
  killRelay(): void;
  killNats(): void;
  /** NATS ends, everything that it kept is deleted, and it starts again. */
  deleteStore(beforehand: () => Promise<void>): Promise<void>;
}

export const faultsOf = ({ children }: System, dataDir: string): SystemFaults => ({
  killRelay: () => kill(children.get("portfolio")!),
  killNats: () => kill(children.get("nats")!),
  async deleteStore(beforehand) {
    await beforehand();
    const nats = children.get("nats")!;
    await nats.stop(0);
    rmSync(join(dataDir, "nats", "jetstream"), { recursive: true, force: true });
    await nats.restart();
  },
});

export interface Witnesses {
  readonly deaths: number;
  /** Lets both live from now on. */
  stopKilling(): Promise<void>;
  stop(): Promise<void>;
}

/** Two replicas of the witness, one or the other of which is killed every few seconds. */
export async function startWitnesses(system: System, dataDir: string, databaseUrl: string): Promise<Witnesses> {
  const env = { ...system.environmentOf("communications"), WITNESS_DATABASE_URL: databaseUrl, NATS_URL: system.natsUrl };
  const replicas = [1, 2].map((number) =>
    supervise(
      {
        name: `witness.${number}`,
        file: process.execPath,
        args: ["-C", "source", join(root, "test", "systems", "events", "witness.ts")],
        cwd: root,
        env,
        stopSignal: "SIGTERM",
        saysReady: true,
      },
      join(dataDir, "logs", `witness.${number}.log`),
      () => undefined,
    ),
  );
  await Promise.all(replicas.map(({ ready }) => ready));
  let deaths = 0;
  const isOver = new AbortController();
  const killing = (async () => {
    while (!isOver.signal.aborted) {
      await sleep(2_000 + Math.random() * 4_000, undefined, { signal: isOver.signal }).catch(() => undefined);
      if (isOver.signal.aborted) return;
      kill(replicas[Math.floor(Math.random() * replicas.length)]!);
      deaths++;
    }
  })();
  return {
    get deaths() {
      return deaths;
    },
    async stopKilling() {
      isOver.abort();
      await killing;
    },
    async stop() {
      isOver.abort();
      await killing;
      await Promise.all(replicas.map((replica) => replica.stop()));
    },
  };
}
