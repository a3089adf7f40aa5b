/** Slows down whoever guesses passwords. Counted in this process: what a restart forgets, a guesser gains little from. */
import { limited } from "@freehold/kit/errors";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

const WINDOW_SECONDS = 15 * 60;
const TRIES_PER_ADDRESS = 50;

export interface Throttle {
  /** Counts a try from a network address; 429 when it has had its tries. */
  countAddress(address: string): Promise<void>;
  /** 429 for an account with too many wrong passwords, whether the account exists or not. */
  refuseGuessing(email: string): Promise<void>;
  countWrong(email: string): Promise<void>;
  /** The right password was given: the wrong ones before it were slips. */
  forgive(email: string): Promise<void>;
}

const nothing = async (): Promise<void> => undefined;

/** Limits of so many wrong passwords an account, and of tries an address; 0 for none of them. */
export function throttle(wrongPasswords: number): Throttle {
  if (wrongPasswords === 0) return { countAddress: nothing, refuseGuessing: nothing, countWrong: nothing, forgive: nothing };
  const accounts = new RateLimiterMemory({ keyPrefix: "account", points: wrongPasswords, duration: WINDOW_SECONDS });
  const addresses = new RateLimiterMemory({ keyPrefix: "address", points: TRIES_PER_ADDRESS, duration: WINDOW_SECONDS });
  return {
    async countAddress(address) {
      await addresses.consume(address).catch((refusal: unknown) => {
        throw refusal instanceof RateLimiterRes ? limited(refusal.msBeforeNext / 1000) : refusal;
      });
    },
    async refuseGuessing(email) {
      const wrong = await accounts.get(email);
      if (wrong && wrong.consumedPoints >= wrongPasswords) throw limited(wrong.msBeforeNext / 1000);
    },
    async countWrong(email) {
      await accounts.penalty(email);
    },
    async forgive(email) {
      await accounts.delete(email);
    },
  };
}
