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

/** Share of the commands that take a record in any state, so that refusals are played too. */
const UNSUITABLE_PROBABILITY = 0.1;

/** Returns a random record in a state to which a command applies, in some cases any record; undefined when there is none. */
export const pickSuitable = <R>({ random }: Pick<TrustContext, "random">, all: readonly R[], suitable: readonly R[]): R | undefined =>
  random.pick(random.chance(UNSUITABLE_PROBABILITY) ? all : suitable);

/** Sends requests one after the other and returns the first response that is refused, or else the last one. */
export async function inSequence<R extends Response>(requests: readonly (() => Promise<R>)[]): Promise<R> {
  let response = await requests[0]!();
  for (const request of requests.slice(1)) if (response.status === 200) response = await request();
  return response;
}

/** Returns undefined when there is no record yet to which the command applies. */
export type TrustCommand = (context: TrustContext) => Promise<Effect | undefined>;
