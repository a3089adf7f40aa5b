/** Commands of random histories of trust. No model predicts whether a command is accepted; what holds afterwards is checked by `trust-history.ts`. */
import type { TrustContext } from "./trust-office.ts";

interface Response {
  status: number;
  text: string;
}

/** Response of a command, and what may be expected of its effect. */
export interface Effect extends Response {
  /** True for an act of the bank, which is posted although it takes money that its beneficiary no longer has. */
  isBankAct?: boolean;
  /** Undoes the accepted command. */
  undo?: () => Promise<Response>;
  /** True when the undo is dated as the command, so that it restores the balances of every day. */
  isOnOwnDay?: boolean;
  /** True when no other command changes the record, so that its undo takes exactly its effect back, whenever it comes. */
  isIndependent?: boolean;
}

/** Returns undefined when there is no record yet to which the command applies. */
export type TrustCommand = (context: TrustContext) => Promise<Effect | undefined>;
