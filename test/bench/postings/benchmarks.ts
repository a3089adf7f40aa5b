/** Posts the rent of an organization with ten thousand leases, month by month. */
import { addMonths } from "@freehold/kit/time/plain-date";
import { stopAllButPostgres, startBenchSystem } from "../bench-system.ts";
import { nextMonth } from "../growth/sizes.ts";
import { seedOneOrganization } from "../growth/seed.ts";
import { createInProcessLedger } from "../in-process-ledger.ts";
import { runBenchmark, type BenchmarkResult } from "../measure.ts";
import { createBareInserts } from "./bare-inserts.ts";

const LEASES = Number(process.env["BENCH_LEASES"] ?? 10_000);

export async function postings(log: (text: string) => void, onResult: (result: BenchmarkResult) => void): Promise<void> {
  const bench = await startBenchSystem(log);
  let ledger: Awaited<ReturnType<typeof createInProcessLedger>> | undefined;
  let bare: Awaited<ReturnType<typeof createBareInserts>> | undefined;
  try {
    const office = await seedOneOrganization(bench, LEASES, log);
    ledger = await createInProcessLedger(bench);
    bare = await createBareInserts(bench, office.organizationId);
    const { postDueCharges } = ledger;
    const { insertAgain } = bare;
    let throughDate = nextMonth();
    // Posts next month's rent of the remaining leases, and replicates entities that the ledger's projections lack.
    await postDueCharges(office, { throughDate });
    await stopAllButPostgres(bench, "portfolio");
    let chargeIds: string[] = [];
    const ours = async () => {
      throughDate = addMonths(throughDate, 1);
      const started = performance.now();
      const { posting } = await postDueCharges(office, { throughDate });
      const seconds = (performance.now() - started) / 1_000;
      chargeIds = posting.lines.flatMap(({ chargeId }) => chargeId ?? []);
      // A few leases have ended before the month.
      if (chargeIds.length < 0.9 * LEASES) throw new Error(`Only ${chargeIds.length} charges were posted for ${LEASES} leases.`);
      return chargeIds.length / seconds;
    };
    onResult(
      await runBenchmark({
        name: `rent of ${LEASES} leases, posted for a month`,
        against: "bare inserts of the same rows",
        target: { atLeast: 0.3 },
        unit: "/s",
        ours,
        theirs: async () => chargeIds.length / (await insertAgain(chargeIds)),
      }),
    );
  } finally {
    await Promise.all([bare?.close(), ledger?.close()]);
    await bench.end();
  }
}
