/**
 * A single amount is counted exactly, up to 2^53 - 1 cents; the sum of several may be more than a JSON number can say.
 * Such a sum is shown as the nearest that it can: a list must not fail because of amounts that nobody has.
 */
import type { Cents } from "@freehold/contract/values";
import { sql, type RawBuilder } from "./statement.ts";

const most = Number.MAX_SAFE_INTEGER;

export const countable = (sum: bigint): Cents => Number(sum > most ? most : sum < -most ? -most : sum) as Cents;

/** The same, for a sum in a statement. */
export const countableSum = (sum: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`least(greatest(coalesce(${sum}, 0), ${sql.lit(-most)}), ${sql.lit(most)})::bigint`;
