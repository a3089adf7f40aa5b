/**
 * Fair admission to a scarce resource: organizations take turns, and within an organization its users. A user, or a network
 * address without one, cannot hold more than a part of the resource, so that others never wait for one holder alone.
 */
import { unavailable } from "./errors.ts";

/** Holder of a turn. Callers without an access token hold as their network address, in a group of their own. */
export interface Holder {
  group: string;
  member: string;
}

export interface TurnLimits {
  /** Maximum numbers of turns at the same time. */
  total: number;
  perGroup: number;
  perMember: number;
  /** Maximum number of requests that wait for a turn. */
  waiting: number;
  /** Maximum time for which a request waits. */
  waitMs: number;
}

/** Turn in which an action runs. */
export interface Turn {
  /** Returns true while a request waits that could start if this turn ended. */
  isWanted(): boolean;
}

export interface FairTurns {
  /**
   * Runs an action in a turn of the holder. When too many wait, the latest request of the member with the most waiting requests, in the
   * group with the most, is refused with 503: the new one, unless others have more. So is one that has waited too long.
   */
  run<T>(holder: Holder, action: (turn: Turn) => Promise<T>): Promise<T>;
}

interface Waiter extends Holder {
  start: () => void;
  refuse: () => void;
}

export function fairTurns(limits: TurnLimits): FairTurns {
  const turnsByGroup = new Map<string, number>();
  const turnsByMember = new Map<string, number>();
  /** Waiting requests by group and member. The order of the keys is the order of the next turns. */
  const groups = new Map<string, Map<string, Waiter[]>>();
  let [turns, waiting] = [0, 0];

  const mayStart = ({ group, member }: Holder): boolean =>
    turns < limits.total && (turnsByGroup.get(group) ?? 0) < limits.perGroup && (turnsByMember.get(member) ?? 0) < limits.perMember;

  /** Tells whether a waiting request could start if the holder's turn ended. */
  function isWanted(holder: Holder): boolean {
    if (waiting === 0) return false;
    count(holder, -1);
    const couldStart = [...groups].some(([group, members]) => [...members.keys()].some((member) => mayStart({ group, member })));
    count(holder, 1);
    return couldStart;
  }

  function count({ group, member }: Holder, change: 1 | -1): void {
    turns += change;
    add(turnsByGroup, group, change);
    add(turnsByMember, member, change);
  }

  function enqueue(waiter: Waiter): void {
    const members = groups.get(waiter.group) ?? new Map<string, Waiter[]>();
    groups.set(waiter.group, members);
    const queue = members.get(waiter.member) ?? [];
    members.set(waiter.member, queue);
    queue.push(waiter);
    waiting++;
  }

  function leave(waiter: Waiter): void {
    const members = groups.get(waiter.group)!;
    const queue = members.get(waiter.member)!;
    queue.splice(queue.indexOf(waiter), 1);
    waiting--;
    if (queue.length === 0) members.delete(waiter.member);
    if (members.size === 0) groups.delete(waiter.group);
  }

  /** Returns the longest queue of the group with the most waiting requests; that of the given holder unless others are longer. */
  function longestQueue({ group, member }: Holder): Waiter[] {
    const own = groups.get(group)!;
    const largest = [...groups.values()].reduce((most, members) => (waitingIn(members) > waitingIn(most) ? members : most), own);
    const given = largest === own ? own.get(member)! : [];
    return [...largest.values()].reduce((longest, queue) => (queue.length > longest.length ? queue : longest), given);
  }

  /** Starts waiting requests, one of each group and member at a time, while there are turns for them. */
  function startNext(): void {
    if (turns >= limits.total) return;
    for (const [group, members] of groups) {
      for (const [member, queue] of members) {
        if (!mayStart({ group, member })) continue;
        const next = queue[0]!;
        next.start();
        moveToEnd(members, member);
        moveToEnd(groups, group);
        return startNext();
      }
    }
  }

  /** Resolves when the holder has a turn. */
  function turn(holder: Holder): Promise<void> {
    if (waiting === 0 && mayStart(holder)) {
      count(holder, 1);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const refuse = () => {
        clearTimeout(timeout);
        leave(waiter);
        reject(unavailable(new Error("The service has its maximum of requests in progress.")));
      };
      const start = () => {
        clearTimeout(timeout);
        leave(waiter);
        count(holder, 1);
        resolve();
      };
      const timeout = setTimeout(refuse, limits.waitMs);
      const waiter: Waiter = { ...holder, start, refuse };
      enqueue(waiter);
      startNext();
      if (waiting > limits.waiting) longestQueue(waiter).at(-1)!.refuse();
    });
  }

  return {
    async run(holder, action) {
      await turn(holder);
      try {
        return await action({ isWanted: () => isWanted(holder) });
      } finally {
        count(holder, -1);
        startNext();
      }
    },
  };
}

const waitingIn = (members: ReadonlyMap<string, readonly Waiter[]>): number => [...members.values()].reduce((sum, queue) => sum + queue.length, 0);

function add(counts: Map<string, number>, key: string, change: number): void {
  const sum = (counts.get(key) ?? 0) + change;
  if (sum > 0) counts.set(key, sum);
  else counts.delete(key);
}

function moveToEnd<T>(map: Map<string, T>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}
