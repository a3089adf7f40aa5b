/** Money held for others in an organization of two thousand owners: payouts, fees, statements of a bank, and the check of funds. */
import { today } from "@freehold/kit/time/clock";
import { addMonths, endOfMonth, startOfMonth } from "@freehold/kit/time/plain-date";
import type { Office } from "../../support/office.ts";
import { startBenchSystem, type BenchSystem } from "../bench-system.ts";
import { seedOneOrganization } from "../growth/seed.ts";
import { UNITS_PER_PROPERTY } from "../growth/sizes.ts";
import { median, runBenchmark, type Benchmark, type BenchmarkResult } from "../measure.ts";
import { seedTrust, type SeededTrust } from "./seed-trust.ts";

const LEASES = Number(process.env["BENCH_TRUST_LEASES"] ?? 40_000);
const STATEMENT_LINES = Number(process.env["BENCH_STATEMENT_LINES"] ?? 100_000);
const owners = (leases: number) => Math.ceil(leases / UNITS_PER_PROPERTY);

interface Organization extends SeededTrust {
  office: Office;
  leases: number;
}

/** Month that has ended, whose owners are paid and whose fees are charged. */
const lastMonth = () => {
  const periodStart = startOfMonth(addMonths(today("America/New_York"), -1));
  return { periodStart, periodEnd: endOfMonth(periodStart) };
};

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

async function seed(bench: BenchSystem, ordinal: number, leases: number, lines: number, log: (text: string) => void): Promise<Organization> {
  const office = await seedOneOrganization(bench, leases, () => undefined, ordinal);
  const trust = await seedTrust(bench, office, lines);
  log(`Seeded ${leases} leases of ${owners(leases)} owners.`);
  return { office, leases, ...trust };
}

/** Calculates the payouts of all owners, and returns the seconds. */
const previewPayouts = ({ office, bankAccountId, leases }: Organization) =>
  secondsOf(async () => {
    const { preview } = await office.call("previewOwnerPayables", { body: { periodEnd: lastMonth().periodEnd, bankAccountId } });
    if (preview.lines.length < 0.9 * owners(leases)) throw new Error(`Only ${preview.lines.length} owners of ${owners(leases)} are paid.`);
  });

/** Charges the fees of all properties for a month, collects them and reverses the run, and returns the seconds of the run. */
async function chargeFees({ office, bankAccountId, leases }: Organization): Promise<number> {
  const started = performance.now();
  const { run } = await office.call("createManagementFeeRun", { body: { ...lastMonth(), bankAccountId } });
  const seconds = (performance.now() - started) / 1_000;
  if (run.lines.length < owners(leases)) throw new Error(`Only ${run.lines.length} properties of ${owners(leases)} are charged.`);
  await office.call("reverseManagementFeeRun", { params: { id: run.id }, body: { reason: "Benchmark" } });
  return seconds;
}

/** Matches all lines of a statement with the transactions of its account, and returns the seconds. */
async function matchStatement({ office, statementAccountId }: Organization): Promise<number> {
  const body = { bankAccountId: statementAccountId, statementEndDate: today("America/New_York"), statementEndingBalanceCents: 0 };
  const { reconciliation } = await office.call("createReconciliation", { body });
  const params = { id: reconciliation.id };
  const started = performance.now();
  const { autoMatch } = await office.call("autoMatchReconciliation", { params, body: { dateWindowDays: 3 } });
  const seconds = (performance.now() - started) / 1_000;
  if (autoMatch.matchedLines < 0.5 * STATEMENT_LINES) throw new Error(`Only ${autoMatch.matchedLines} lines of ${STATEMENT_LINES} are matched.`);
  await office.call("voidReconciliation", { params });
  return seconds;
}

/** Pays bills of a property with or without the check of funds, and returns the median of the milliseconds. */
function billPayments({ office, bankAccountId }: Organization) {
  let propertyId: string | undefined;
  return async (trustOverdraft: "block" | "off"): Promise<number> => {
    propertyId ??= (await office.call("listProperties", { query: { pageSize: "1" } })).properties[0]!.id;
    await office.call("updateOrganization", { body: { policies: { trustOverdraft } } });
    const bills = await Promise.all(
      Array.from({ length: 40 }, () =>
        office.call("createExpense", { body: { propertyId: propertyId!, amountCents: 100, incurredOn: lastMonth().periodEnd, category: "maintenance" } }),
      ),
    );
    const times: number[] = [];
    for (const { expense } of bills) {
      const allocations = [{ expenseId: expense.id, amountCents: 100 }];
      const body = { amountCents: 100, paymentMethod: "check" as const, paidAt: new Date().toISOString(), bankAccountId, allocations };
      times.push(1_000 * (await secondsOf(() => office.call("recordExpensePayment", { body }))));
    }
    return median(times);
  };
}

/** Measures against a fixed limit of seconds. */
const within = (seconds: number, name: string, ours: () => Promise<number>): Benchmark => ({
  name,
  against: `${seconds} s`,
  target: { atMost: 1 },
  unit: "s",
  ours,
  theirs: () => Promise.resolve(seconds),
});

export async function trust(log: (text: string) => void, onResult: (result: BenchmarkResult) => void): Promise<void> {
  const bench = await startBenchSystem(log);
  try {
    const small = await seed(bench, 1, LEASES / 10, 0, log);
    const large = await seed(bench, 2, LEASES, STATEMENT_LINES, log);
    const [size, pay] = [owners(LEASES), billPayments(large)];
    const benchmarks: Benchmark[] = [
      within(5, `payouts to ${size} owners of ${LEASES} leases, previewed`, () => previewPayouts(large)),
      {
        ...within(5, `the same, per owner`, () => previewPayouts(large).then((seconds) => (1_000 * seconds) / size)),
        against: `time per owner with ${owners(small.leases)} owners`,
        target: { atMost: 1.2 },
        unit: "ms",
        theirs: () => previewPayouts(small).then((seconds) => (1_000 * seconds) / owners(small.leases)),
      },
      within(5, `fees of ${size} properties, charged and collected`, () => chargeFees(large)),
      within(10, `a statement of ${STATEMENT_LINES} lines, matched`, () => matchStatement(large)),
      {
        ...within(1, "a bill of one property, paid", () => pay("block")),
        against: "the same without the check of funds",
        target: { atMost: 1.15 },
        unit: "ms",
        theirs: () => pay("off"),
      },
    ];
    for (const benchmark of benchmarks) onResult(await runBenchmark(benchmark));
  } finally {
    await bench.end();
  }
}
