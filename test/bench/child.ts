/** A process of the benchmarks beside this one, and the messages that it answers with. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ended } from "./stage.ts";

export interface Helper<Order, Report> {
  child: ChildProcess;
  send(order: Order): void;
  /** What it says next; fails when it ended instead. */
  next<R extends Report>(): Promise<R>;
  ask<R extends Report>(order: Order): Promise<R>;
  end(): Promise<void>;
}

/** Starts one of `processes/`. */
export function helper<Order extends object, Report>(name: string, env: Record<string, string> = {}): Helper<Order, Report> {
  const child = fork(fileURLToPath(new URL(`processes/${name}.ts`, import.meta.url)), [], {
    execArgv: ["-C", "source"],
    env: { ...process.env, ...env },
    serialization: "advanced",
    // A session of its own, as the system's processes have: the scheduler then gives all of them the same.
    detached: true,
  });
  const next = async <R extends Report>(): Promise<R> => {
    const gone = new AbortController();
    const exit = once(child, "exit", { signal: gone.signal }).then(([code]) => {
      throw new Error(`${name} ended with ${code}.`);
    });
    exit.catch(() => undefined);
    try {
      return ((await Promise.race([once(child, "message", { signal: gone.signal }), exit])) as [R])[0];
    } finally {
      gone.abort();
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
