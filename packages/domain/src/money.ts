/**
 * Sums of money. A single amount is at most 2^53 - 1 cents, but a sum of several may exceed the integers that JSON numbers
 * represent exactly. Such a sum is clamped, so that a list never fails because of absurd amounts.
 */
import type { Cents } from "@freehold/contract/values";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";

const MAX = Number.MAX_SAFE_INTEGER;

export const clampToSafeInteger = (sum: bigint): Cents => Number(sum > MAX ? MAX : sum < -MAX ? -MAX : sum) as Cents;

/** Clamps a sum in SQL; null becomes 0. */
export const clampSumToSafeInteger = (sum: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`least(greatest(coalesce(${sum}, 0), ${sql.lit(-MAX)}), ${sql.lit(MAX)})::bigint`;
