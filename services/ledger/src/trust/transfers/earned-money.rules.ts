/** Rule of the money that the management company has earned. */

/**
 * Movement of a day: of money without a property in a trust account, of the part of such money that the company has not earned, or of what entries have
 * withdrawn from properties against equity of the company.
 */
export interface CompanyMovement {
  day: string;
  kind: "money" | "unearned" | "withdrawn";
  bankAccountId: string | null;
  cents: number;
}

/**
 * Returns the lowest amount that was earned at the end of a day or any later one, by movements in the order of their days: the money without a property of
 * all accounts, less what of it was not earned and what was withdrawn. What the company lacks in one account reduces nothing in another.
 */
export function lowestEarned(movements: readonly CompanyMovement[], day: string): number {
  const money = new Map<string | null, number>();
  const notEarned = { unearned: 0, withdrawn: 0 };
  let lowest = Infinity;
  const earned = () =>
    [...money.values()].reduce((sum, cents) => sum + Math.max(0, cents), 0) - Math.max(0, notEarned.unearned) - Math.max(0, notEarned.withdrawn);
  for (const [on, group] of Map.groupBy(movements, (movement) => movement.day)) {
    if (on > day) lowest = Math.min(lowest, earned());
    for (const { kind, bankAccountId, cents } of group)
      if (kind === "money") money.set(bankAccountId, (money.get(bankAccountId) ?? 0) + cents);
      else notEarned[kind] += cents;
  }
  return Math.min(lowest, earned());
}
