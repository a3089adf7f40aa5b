import { conflict } from "./errors.ts";

/** The allowed transitions between the statuses of a resource. */
export interface StateMachine<S extends string> {
  readonly table: Readonly<Record<S, readonly S[]>>;
  /** Statuses from which a transition is possible. */
  readonly unfinished: readonly S[];
  allows(from: S, to: S): boolean;
  /** Returns the new status, or throws a 409 that names the allowed ones. */
  transition(from: S, to: S): S;
}

/** Creates the state machine of a resource from a table of the statuses that may follow each status. */
export function stateMachine<const S extends string>(resource: string, table: Record<S, readonly NoInfer<S>[]>): StateMachine<S> {
  const allows = (from: S, to: S) => table[from].includes(to);
  return {
    table,
    unfinished: (Object.keys(table) as S[]).filter((status) => table[status].length > 0),
    allows,
    transition(from, to) {
      if (allows(from, to)) return to;
      const allowed = table[from].length > 0 ? `From ${from} it can become ${table[from].join(" or ")}.` : `${from} is final.`;
      throw conflict(`The ${resource} is ${from} and cannot become ${to}. ${allowed}`, "invalid_transition");
    },
  };
}
