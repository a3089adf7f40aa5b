/** Faults of NATS, the relay and the consumers. Kills only processes of the given system, each by its id. */
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { supervise, type SupervisedProcess } from "../../../deploy/system/supervise.ts";
import type { System } from "../../../deploy/system/system.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

const kill = (child: SupervisedProcess): void => {
  if (child.pid !== undefined) process.kill(child.pid, "SIGKILL");
};

export interface SystemFaults {
  /** Kills portfolio, and with it the relay, while it publishes. */
  killRelay(): void;
  killNats(): void;
  /** Runs `beforeDeletion`, then stops NATS, deletes its store and starts it again. */
  deleteStore(beforeDeletion: () => Promise<void>): Promise<void>;
}

export const faultsOf = ({ children }: System, dataDir: string): SystemFaults => ({
  killRelay: () => kill(children.get("portfolio")!),
  killNats: () => kill(children.get("nats")!),
  async deleteStore(beforeDeletion) {
    await beforeDeletion();
    const nats = children.get("nats")!;
    await nats.stop(0);
    rmSync(join(dataDir, "nats", "jetstream"), { recursive: true, force: true });
    await nats.restart();
  },
});

export interface Witnesses {
  /** Number of kills so far. */
  readonly deaths: number;
  /** Stops killing the replicas. */
  stopKilling(): Promise<void>;
  /** Stops the replicas. */
  stop(): Promise<void>;
}

/** Starts two replicas of the witness and kills one of them at random every few seconds. */
export async function startWitnesses(system: System, dataDir: string, databaseUrl: string): Promise<Witnesses> {
  const env = { ...system.environmentOf("communications"), WITNESS_DATABASE_URL: databaseUrl };
  const replicas = [1, 2].map((number) =>
    supervise(
      {
        name: `witness.${number}`,
        file: process.execPath,
        args: ["-C", "source", join(root, "test", "systems", "events", "witness.ts")],
        cwd: root,
        env,
        stopSignal: "SIGTERM",
        reportsReady: true,
      },
      join(dataDir, "logs", `witness.${number}.log`),
      () => undefined,
    ),
  );
  await Promise.all(replicas.map(({ ready }) => ready));
  let deaths = 0;
  const abortController = new AbortController();
  const killLoop = (async () => {
    while (!abortController.signal.aborted) {
      await sleep(2_000 + Math.random() * 4_000, undefined, { signal: abortController.signal }).catch(() => undefined);
      if (abortController.signal.aborted) return;
      kill(replicas[Math.floor(Math.random() * replicas.length)]!);
      deaths++;
    }
  })();
  return {
    get deaths() {
      return deaths;
    },
    async stopKilling() {
      abortController.abort();
      await killLoop;
    },
    async stop() {
      abortController.abort();
      await killLoop;
      await Promise.all(replicas.map((replica) => replica.stop()));
    },
  };
}
