import { unavailable } from "@freehold/kit/errors";

/** Runs a task when a slot is free. Clients take turns, whatever the number of their waiting tasks. */
export type FairQueue = <T>(client: string, work: () => Promise<T>) => Promise<T>;

interface Waiting {
  start(): void;
  refuse(): void;
}

/**
 * Creates a queue that runs `concurrency` tasks at once and holds at most `maxPending` more. When it is full, a task of a client with fewer waiting
 * tasks displaces the last one of the client with most. Refused tasks throw 503.
 */
export function fairQueue(concurrency: number, maxPending: number): FairQueue {
  /** Waiting tasks by client; the first client is next. */
  const waiting = new Map<string, Waiting[]>();
  let [active, pending] = [0, 0];

  /** Hands a free slot to the next client. */
  function release(): void {
    active--;
    const [next] = waiting;
    if (!next) return;
    const [client, tasks] = next;
    const task = tasks.shift()!;
    pending--;
    waiting.delete(client);
    if (tasks.length > 0) waiting.set(client, tasks);
    active++;
    task.start();
  }

  function makeRoom(client: string): void {
    if (pending < maxPending) return;
    const [, longest] = [...waiting].reduce((a, b) => (b[1].length > a[1].length ? b : a));
    if (longest.length <= (waiting.get(client)?.length ?? 0) + 1) throw unavailable(new Error("The queue of password hashes is full."));
    longest.pop()!.refuse();
    pending--;
  }

  const waitForTurn = (client: string) =>
    new Promise<void>((start, reject) => {
      const tasks = waiting.get(client) ?? [];
      tasks.push({ start, refuse: () => reject(unavailable(new Error("A client with fewer waiting password hashes took the place."))) });
      waiting.set(client, tasks);
      pending++;
    });

  return async (client, work) => {
    if (active < concurrency) active++;
    else {
      makeRoom(client);
      await waitForTurn(client);
    }
    try {
      return await work();
    } finally {
      release();
    }
  };
}
