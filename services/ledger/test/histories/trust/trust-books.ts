/**
 * Books of an office of trust as its journal lines have them, computed without the queries of the ledger: the balances by account, property,
 * owner, tenant and day on both bases, and the money of each beneficiary in each bank account on each day.
 */
import type { Line } from "./trust.queries.ts";

type Balances = Map<string, number>;

function add(balances: Balances, key: string, cents: number): void {
  const sum = (balances.get(key) ?? 0) + cents;
  if (sum === 0) balances.delete(key);
  else balances.set(key, sum);
}

/** Returns the balances other than zero by basis, account, bank account and dimensions; with the day of each movement if `byDay`. */
export function balancesOf(lines: readonly Line[], byDay: boolean): Balances {
  const balances: Balances = new Map();
  for (const { day, code, cashCode, bank, property, owner, tenant, lease, cents } of lines) {
    const key = [bank, property, owner, tenant, lease, ...(byDay ? [day] : [])].join(" ");
    add(balances, `accrual ${code} ${key}`, cents);
    if (cashCode) add(balances, `cash ${cashCode} ${key}`, cents);
  }
  return balances;
}

/** Returns the change from one state of balances to another. */
export function changeOf(before: Balances, after: Balances): Balances {
  const change: Balances = new Map(after);
  for (const [key, cents] of before) add(change, key, -cents);
  return change;
}

/** Returns the opposite change. */
export const opposite = (change: Balances): Balances => new Map([...change].map(([key, cents]) => [key, 0 - cents]));

const sumOf = (lines: readonly Line[]): number => lines.reduce((sum, { cents }) => sum + cents, 0);

/**
 * Returns the money of each beneficiary in a bank account at the end of a day. Deposits held and prepaid rent are in the account that their
 * lines name, or in which the money of their payment is; the rest of a property belongs to its owners, and money of no property to the manager.
 */
export function beneficiariesOn(lines: readonly Line[], bank: string, day: string): Balances {
  const past = lines.filter((line) => line.day <= day);
  const money = past.filter((line) => line.isBank && line.bank === bank);
  const held = new Set(
    [...Map.groupBy(money, ({ payment }) => payment)].filter(([payment, moves]) => payment !== null && sumOf(moves) > 0).map(([payment]) => payment),
  );
  const balances: Balances = new Map();
  const rest = (property: string | null) => (property ? `owner ${property} null` : "manager null null");
  for (const { property, cents } of money) add(balances, rest(property), cents);
  for (const { code, property, tenant, payment, bank: named, cents } of past) {
    if ((code !== "2100" && code !== "2150") || (named ? named !== bank : !held.has(payment))) continue;
    add(balances, `${code === "2100" ? "deposit" : "prepaid"} ${property} ${tenant}`, -cents);
    add(balances, rest(property), cents);
  }
  return balances;
}

/**
 * Returns what each beneficiary lacks in each of the bank accounts at the end of each day, and by how much more of the deposit of a lease was
 * used than is held.
 */
export function shortagesOf(lines: readonly Line[], banks: readonly string[], days: readonly string[]): Balances {
  const shortages: Balances = new Map();
  const held = Map.groupBy(
    lines.filter(({ code }) => code === "2100"),
    ({ lease }) => lease,
  );
  for (const [lease, ofLease] of held)
    for (const day of days) {
      const cents = sumOf(ofLease.filter((line) => line.day <= day));
      if (cents > 0) shortages.set(`deposit of the lease ${lease} ${day}`, cents);
    }
  for (const bank of banks)
    for (const day of days)
      for (const [beneficiary, cents] of beneficiariesOn(lines, bank, day)) if (cents < 0) shortages.set(`${bank} ${beneficiary} ${day}`, -cents);
  return shortages;
}

/** Returns the days of the lines in order. */
export const daysOf = (lines: readonly Line[]): string[] => [...new Set(lines.map(({ day }) => day))].sort();

type Row = readonly (string | number)[];
/** Compares rows as text, for a fixed order. */
export const compareRows = (one: Row, other: Row): number => (one.join() < other.join() ? -1 : Number(one.join() > other.join()));
