/** Helper process of a benchmark, controlled by messages. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ended } from "./stage.ts";

export interface Helper<Order, Report> {
  child: ChildProcess;
  send(order: Order): void;
  /** Waits for the next message. Throws if the process exits. */
  next<R extends Report>(): Promise<R>;
  ask<R extends Report>(order: Order): Promise<R>;
  end(): Promise<void>;
}

/** Starts a program of `processes/`. */
export function helper<Order extends object, Report>(name: string, env: Record<string, string> = {}): Helper<Order, Report> {
  const child = fork(fileURLToPath(new URL(`processes/${name}.ts`, import.meta.url)), [], {
    execArgv: ["-C", "source"],
    env: { ...process.env, ...env },
    serialization: "advanced",
    // Runs in its own session like the system's processes, so that the scheduler treats them equally.
    detached: true,
  });
  const next = async <R extends Report>(): Promise<R> => {
    const done = new AbortController();
    const exit = once(child, "exit", { signal: done.signal }).then(([code]) => {
      throw new Error(`${name} ended with ${code}.`);
    });
    exit.catch(() => undefined);
    try {
      return ((await Promise.race([once(child, "message", { signal: done.signal }), exit])) as [R])[0];
    } finally {
      done.abort();
    }
  };
  return {
    child,
    send: (order) => void child.send(order),
    next,
    ask: (order) => {
      const answer = next();
      child.send(order);
      return answer as never;
    },
    end: () => ended(child),
  };
}
