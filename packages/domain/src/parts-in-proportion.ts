/** Returns the sum of amounts in cents. */
export const sumOfCents = (amounts: readonly number[]): number => amounts.reduce((sum, cents) => sum + cents, 0);

/** Returns parts of amounts of zero or more, in proportion to them and none larger than its amount, that add up to `cents`, or to all of the amounts if these are less. */
export function partsInProportion(cents: number, amounts: readonly number[]): number[] {
  const total = amounts.reduce((sum, amount) => sum + BigInt(amount), 0n);
  if (total === 0n) return amounts.map(() => 0);
  const wanted = BigInt(Math.max(0, cents));
  const limit = wanted < total ? wanted : total;
  let before = 0n;
  return amounts.map((amount) => {
    const through = before + BigInt(amount);
    const part = (limit * through) / total - (limit * before) / total;
    before = through;
    return Number(part);
  });
}
