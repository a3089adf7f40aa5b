/** Supervises child processes: restarts them until they are stopped. */
import { spawn, type ChildProcess } from "node:child_process";
import { appendFileSync, createWriteStream, mkdirSync } from "node:fs";
import { setPriority } from "node:os";
import { dirname } from "node:path";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

export interface ChildOptions {
  name: string;
  file: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd: string;
  stopSignal: NodeJS.Signals;
  uid?: number;
  /** Above 0 for a lower CPU priority. */
  niceness?: number;
  /** Set if the child sends a message when it is ready. */
  reportsReady?: boolean;
}

export interface SupervisedProcess {
  readonly name: string;
  readonly pid: number | undefined;
  /** Resolves when the process is ready; rejects if it exits before. */
  readonly ready: Promise<void>;
  /** Stops the process: with its signal, and with SIGKILL after the grace period. */
  stop(graceMs?: number): Promise<void>;
  /** Stops and starts the process. Resolves when it is ready. */
  restart(): Promise<void>;
}

/** Preloaded libraries apply to every child. Tests shift the clock with one, and the clocks must agree. */
export const preloadEnvironment = Object.fromEntries(
  ["LD_PRELOAD", "CLOCK_SHIFT_SECONDS"].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
);

const RESTART_MS = [50, 250, 500, 1_000, 1_500];
/** A child that ran this long is restarted without a delay. */
const HEALTHY_MS = 10_000;
/** Exit code of a process with wrong settings, which is not restarted. */
const MISCONFIGURED = 78;

export function supervise(child: ChildOptions, logFile: string, onWarning: (sentence: string) => void): SupervisedProcess {
  mkdirSync(dirname(logFile), { recursive: true });
  let current: ChildProcess | undefined;
  let isStopping = false;
  let failedStarts = 0;
  let stderrTail = "";
  let readiness = Promise.withResolvers<void>();
  readiness.promise.catch(() => undefined);

  function launch(): void {
    const startedAt = Date.now();
    const log = createWriteStream(logFile, { flags: "a" });
    const ids = child.uid ? { uid: child.uid, gid: child.uid } : {};
    const process = spawn(child.file, [...child.args], {
      cwd: child.cwd,
      env: { ...preloadEnvironment, ...child.env },
      stdio: ["ignore", "pipe", "pipe", ...(child.reportsReady ? (["ipc"] as const) : [])],
      detached: true,
      ...ids,
    });
    current = process;
    if (child.niceness !== undefined && process.pid !== undefined) setPriority(process.pid, child.niceness);
    process.stdout!.pipe(log, { end: false });
    process.stderr!.on("data", (chunk: Buffer) => {
      stderrTail = `${stderrTail}${chunk.toString()}`.slice(-2_000);
      log.write(chunk);
    });
    process.on("message", (message) => message === "ready" && readiness.resolve());
    if (!child.reportsReady) process.once("spawn", () => readiness.resolve());
    process.once("error", (error) => readiness.reject(new Error(`${child.name} could not be started: ${error.message}`)));
    // Output may arrive after the exit.
    process.once("close", () => log.end());
    process.once("exit", (code, signal) => {
      if (isStopping) return;
      failedStarts = Date.now() - startedAt > HEALTHY_MS ? 0 : failedStarts + 1;
      readiness.reject(new Error(stderrTail.trim() || `${child.name} ended before it was ready. See ${logFile}.`));
      if (code === MISCONFIGURED) return onWarning(stderrTail.trim());
      appendFileSync(logFile, `-- ${child.name} ended (${signal ?? code}), restarting\n`);
      onWarning(`${child.name} ended (${signal ?? `code ${code}`}) and is restarted.`);
      void sleep(RESTART_MS[Math.min(failedStarts, RESTART_MS.length) - 1] ?? 0).then(() => !isStopping && launch());
    });
  }
  launch();

  async function stop(graceMs = 12_000): Promise<void> {
    isStopping = true;
    const process = current;
    if (!process || process.exitCode !== null || process.signalCode !== null) return;
    const exited = once(process, "exit");
    process.kill(child.stopSignal);
    if ((await Promise.race([exited, sleep(graceMs, "late", { ref: false })])) === "late") {
      process.kill("SIGKILL");
      await exited;
    }
  }

  return {
    name: child.name,
    get pid() {
      return current?.pid;
    },
    ready: readiness.promise,
    stop,
    async restart() {
      await stop();
      readiness = Promise.withResolvers<void>();
      readiness.promise.catch(() => undefined);
      isStopping = false;
      launch();
      await readiness.promise;
    },
  };
}
