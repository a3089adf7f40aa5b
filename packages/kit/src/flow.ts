/** A state table: which status may follow which. */
import { conflict } from "./errors.ts";

export interface Flow<S extends string> {
  readonly table: Readonly<Record<S, readonly S[]>>;
  allows(from: S, to: S): boolean;
  /** The new status, or a 409 that names the refused move. */
  move(from: S, to: S): S;
}

export function flow<const S extends string>(what: string, table: Record<S, readonly NoInfer<S>[]>): Flow<S> {
  const allows = (from: S, to: S) => table[from].includes(to);
  return {
    table,
    allows,
    move(from, to) {
      if (allows(from, to)) return to;
      const open = table[from].length > 0 ? `From ${from} it can become ${table[from].join(" or ")}.` : `${from} is final.`;
      throw conflict(`The ${what} is ${from} and cannot become ${to}. ${open}`, "invalid_transition");
    },
  };
}
