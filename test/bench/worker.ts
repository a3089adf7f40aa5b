/** Worker processes of the benchmarks, controlled by IPC messages. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { stopProcess } from "./bench-system.ts";

export interface Worker<Command, Reply> {
  child: ChildProcess;
  send(command: Command): void;
  /** Resolves with the next message; rejects if the process exits first. */
  next<R extends Reply>(): Promise<R>;
  request<R extends Reply>(command: Command): Promise<R>;
  end(): Promise<void>;
}

/** Starts a worker process from `processes/`. */
export function startWorker<Command extends object, Reply>(name: string, env: Record<string, string> = {}): Worker<Command, Reply> {
  const child = fork(fileURLToPath(new URL(`processes/${name}.ts`, import.meta.url)), [], {
    execArgv: ["-C", "source"],
    env: { ...process.env, ...env },
    serialization: "advanced",
    // The system's processes have sessions of their own; with its own session the worker gets an equal share of the scheduler.
    detached: true,
  });
  const next = async <R extends Reply>(): Promise<R> => {
    const settled = new AbortController();
    const exit = once(child, "exit", { signal: settled.signal }).then(([code]) => {
      throw new Error(`${name} exited with code ${code}.`);
    });
    exit.catch(() => undefined);
    try {
      return ((await Promise.race([once(child, "message", { signal: settled.signal }), exit])) as [R])[0];
    } finally {
      settled.abort();
    }
  };
  return {
    child,
    send: (command) => void child.send(command),
    next,
    request: (command) => {
      const reply = next();
      child.send(command);
      return reply as never;
    },
    end: () => stopProcess(child),
  };
}
