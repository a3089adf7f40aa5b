/** Child processes that are kept alive until they are told to end. Each is known, and ended, by its own id. */
import { spawn, type ChildProcess } from "node:child_process";
import { appendFileSync, createWriteStream, mkdirSync } from "node:fs";
import { setPriority } from "node:os";
import { dirname } from "node:path";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

export interface Child {
  name: string;
  file: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd: string;
  stopSignal: NodeJS.Signals;
  uid?: number;
  /** Above 0 it yields the processor to those that callers wait for. */
  niceness?: number;
  /** The child says by message when it can be asked. */
  saysReady?: boolean;
}

export interface Supervised {
  readonly name: string;
  readonly pid: number | undefined;
  /** Resolves when it can be asked; rejects when it ended first. */
  readonly ready: Promise<void>;
  /** Ends it for good: its signal first, SIGKILL after the grace. */
  stop(graceMs?: number): Promise<void>;
  /** Ends it as `stop` does and starts it again; resolves when it can be asked again. */
  restart(): Promise<void>;
}

/** A preloaded library, such as the one by which tests shift the clock, applies to every child: their clocks must agree. */
const preload = Object.fromEntries(
  ["LD_PRELOAD", "CLOCK_SHIFT_SECONDS"].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
);

const RESTART_MS = [50, 250, 500, 1_000, 1_500];
/** A child that lived this long starts its next life without a wait. */
const HEALTHY_MS = 10_000;
/** What a process answers when its settings are wrong: it would not help to start it again. */
const MISCONFIGURED = 78;

export function supervise(child: Child, logFile: string, onTrouble: (sentence: string) => void): Supervised {
  mkdirSync(dirname(logFile), { recursive: true });
  let current: ChildProcess | undefined;
  let isStopping = false;
  let quickDeaths = 0;
  let lastWords = "";
  let becomesReady = Promise.withResolvers<void>();
  becomesReady.promise.catch(() => undefined);

  function launch(): void {
    const startedAt = Date.now();
    const log = createWriteStream(logFile, { flags: "a" });
    const ids = child.uid ? { uid: child.uid, gid: child.uid } : {};
    const process = spawn(child.file, [...child.args], {
      cwd: child.cwd,
      env: { ...preload, ...child.env },
      stdio: ["ignore", "pipe", "pipe", ...(child.saysReady ? (["ipc"] as const) : [])],
      detached: true,
      ...ids,
    });
    current = process;
    if (child.niceness !== undefined && process.pid !== undefined) setPriority(process.pid, child.niceness);
    process.stdout!.pipe(log, { end: false });
    process.stderr!.on("data", (chunk: Buffer) => {
      lastWords = `${lastWords}${chunk.toString()}`.slice(-2_000);
      log.write(chunk);
    });
    process.on("message", (message) => message === "ready" && becomesReady.resolve());
    if (!child.saysReady) process.once("spawn", () => becomesReady.resolve());
    process.once("error", (error) => becomesReady.reject(new Error(`${child.name} could not be started: ${error.message}`)));
    // Its last words may still be on their way when it exits.
    process.once("close", () => log.end());
    process.once("exit", (code, signal) => {
      if (isStopping) return;
      quickDeaths = Date.now() - startedAt > HEALTHY_MS ? 0 : quickDeaths + 1;
      becomesReady.reject(new Error(lastWords.trim() || `${child.name} ended before it was ready. See ${logFile}.`));
      if (code === MISCONFIGURED) return onTrouble(lastWords.trim());
      appendFileSync(logFile, `-- ${child.name} ended (${signal ?? code}), starting again\n`);
      onTrouble(`${child.name} ended (${signal ?? `code ${code}`}) and is started again.`);
      void sleep(RESTART_MS[Math.min(quickDeaths, RESTART_MS.length) - 1] ?? 0).then(() => !isStopping && launch());
    });
  }
  launch();

  async function stop(graceMs = 12_000): Promise<void> {
    isStopping = true;
    const process = current;
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    const gone = once(process, "exit");
    process.kill(child.stopSignal);
    if ((await Promise.race([gone, sleep(graceMs, "late", { ref: false })])) === "late") {
      process.kill("SIGKILL");
      await gone;
    }
  }

  return {
    name: child.name,
    get pid() {
      return current?.pid;
    },
    ready: becomesReady.promise,
    stop,
    async restart() {
      await stop();
      becomesReady = Promise.withResolvers<void>();
      becomesReady.promise.catch(() => undefined);
      isStopping = false;
      launch();
      await becomesReady.promise;
    },
  };
}
