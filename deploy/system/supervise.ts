/** Supervises child processes: restarts them after an exit until they are stopped. */
import { spawn, type ChildProcess } from "node:child_process";
import { appendFileSync, chmodSync, createWriteStream } from "node:fs";
import { setPriority } from "node:os";
import { dirname } from "node:path";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { ensurePrivateDirectory, PRIVATE_FILE } from "./private-files.ts";

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
  /** Called after each start of the child, also after a restart. */
  afterStart?: () => Promise<void>;
}

export interface SupervisedProcess {
  readonly name: string;
  readonly pid: number | undefined;
  /** Resolves when the process is ready after its first start. Rejects if the first start fails or the process exits before it is ready. */
  readonly ready: Promise<void>;
  /** Sends `stopSignal`, and SIGKILL if the process has not exited within the grace period. Resolves once the log is complete. */
  stop(graceMs?: number): Promise<void>;
  /** Stops and starts the process. Resolves when it is ready. */
  restart(): Promise<void>;
}

/** Variables that preload a library into every child. Tests shift the clock with it, and the clocks of all processes must agree. */
export const preloadEnvironment = Object.fromEntries(
  ["LD_PRELOAD", "CLOCK_SHIFT_SECONDS"].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
);

const RESTART_DELAYS_MS = [50, 250, 500, 1_000, 1_500];
/** A child that ran this long is restarted without a delay. */
const HEALTHY_MS = 10_000;
/** Maximum time for which `stop` waits for the end of a child's output after the child has exited. */
const MAX_OUTPUT_DELAY_MS = 2_000;
/** Exit code of a process with wrong settings, which is not restarted. */
const MISCONFIGURED_EXIT_CODE = 78;

export function supervise(child: ChildOptions, logFile: string, onWarning: (sentence: string) => void): SupervisedProcess {
  ensurePrivateDirectory(dirname(logFile));
  // Creates the log, and takes the access of others away from an existing one.
  appendFileSync(logFile, "", { mode: PRIVATE_FILE });
  chmodSync(logFile, PRIVATE_FILE);
  let current: ChildProcess | undefined;
  let logClosed = Promise.resolve();
  let isStopping = false;
  let failedStarts = 0;
  let stderrTail = "";
  let readiness = Promise.withResolvers<void>();
  readiness.promise.catch(() => undefined);

  function launch(): void {
    const startedAt = Date.now();
    const log = createWriteStream(logFile, { flags: "a", mode: PRIVATE_FILE });
    const ids = child.uid ? { uid: child.uid, gid: child.uid } : {};
    const childProcess = spawn(child.file, [...child.args], {
      cwd: child.cwd,
      env: { ...preloadEnvironment, ...child.env },
      stdio: ["ignore", "pipe", "pipe", ...(child.reportsReady ? (["ipc"] as const) : [])],
      detached: true,
      ...ids,
    });
    current = childProcess;
    if (child.niceness !== undefined && childProcess.pid !== undefined) setPriority(childProcess.pid, child.niceness);
    childProcess.stdout!.pipe(log, { end: false });
    childProcess.stderr!.on("data", (chunk: Buffer) => {
      stderrTail = `${stderrTail}${chunk.toString()}`.slice(-2_000);
      log.write(chunk);
    });
    childProcess.on("message", (message) => message === "ready" && readiness.resolve());
    if (!child.reportsReady) childProcess.once("spawn", () => readiness.resolve());
    child.afterStart?.().catch((error: unknown) => {
      if (!isStopping && current === childProcess) onWarning((error as Error).message);
    });
    childProcess.once("error", (error) => readiness.reject(new Error(`${child.name} could not be started: ${error.message}`)));
    // Output may arrive after the exit.
    logClosed = new Promise((resolve) => childProcess.once("close", () => log.end(resolve)));
    childProcess.once("exit", (code, signal) => {
      if (isStopping) return;
      failedStarts = Date.now() - startedAt > HEALTHY_MS ? 0 : failedStarts + 1;
      readiness.reject(new Error(stderrTail.trim() || `${child.name} ended before it was ready. See ${logFile}.`));
      if (code === MISCONFIGURED_EXIT_CODE) return onWarning(stderrTail.trim());
      appendFileSync(logFile, `-- ${child.name} ended (${signal ?? code}), restarting\n`);
      onWarning(`${child.name} ended (${signal ?? `code ${code}`}) and is restarted.`);
      void sleep(RESTART_DELAYS_MS[Math.min(failedStarts, RESTART_DELAYS_MS.length) - 1] ?? 0).then(() => {
        // Skipped after `stop`, and if `restart` has started another process during the delay.
        if (!isStopping && current === childProcess) launch();
      });
    });
  }
  launch();

  async function stop(graceMs = 12_000): Promise<void> {
    isStopping = true;
    const childProcess = current;
    if (childProcess && childProcess.exitCode === null && childProcess.signalCode === null) {
      const exited = once(childProcess, "exit");
      childProcess.kill(child.stopSignal);
      if ((await Promise.race([exited, sleep(graceMs, "timeout", { ref: false })])) === "timeout") {
        childProcess.kill("SIGKILL");
        await exited;
      }
    }
    // A process that the child started may outlive the child and keep the output open.
    await Promise.race([logClosed, sleep(MAX_OUTPUT_DELAY_MS, undefined, { ref: false })]);
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
