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
  /** Stops NATS, deletes its store and starts it again. */
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
  /** Stops killing the replicas. */
  stopKilling(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts two replicas of the witness and kills one of them at random every few seconds. */
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
        reportsReady: true,
      },
      join(dataDir, "logs", `witness.${number}.log`),
      () => undefined,
    ),
  );
  await Promise.all(replicas.map(({ ready }) => ready));
  let deaths = 0;
  const stopped = new AbortController();
  const killing = (async () => {
    while (!stopped.signal.aborted) {
      await sleep(2_000 + Math.random() * 4_000, undefined, { signal: stopped.signal }).catch(() => undefined);
      if (stopped.signal.aborted) return;
      kill(replicas[Math.floor(Math.random() * replicas.length)]!);
      deaths++;
    }
  })();
  return {
    get deaths() {
      return deaths;
    },
    async stopKilling() {
      stopped.abort();
      await killing;
    },
    async stop() {
      stopped.abort();
      await killing;
      await Promise.all(replicas.map((replica) => replica.stop()));
    },
  };
}
