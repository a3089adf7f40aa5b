/** Selection and order of the faults of a run. */
import { sized } from "../../support/proof.ts";
import { catalogue, type Family, type Fault } from "./faults.ts";
import { createRandom } from "./random.ts";

type Counts = Record<Family, number>;

/** Number of faults of each family in the test: a few in `npm test`, most kinds in `npm run prove`. */
export const shortRun: Counts = sized({ F1: 2, F2: 1, F3: 2, F4: 3, F5: 1, F6: 2, F8: 1 }, { F1: 10, F2: 3, F3: 3, F4: 7, F5: 4, F6: 4, F8: 5 });
/** Weights of the families in `npm run faults`. */
const weights: Counts = { F1: 100, F2: 30, F3: 20, F4: 40, F5: 20, F6: 10, F8: 20 };
const families = Object.keys(weights) as Family[];

/** Distributes a number of faults over the families by weight, at least one each. */
export function longRun(faults: number): Counts {
  const sum = families.reduce((total, family) => total + weights[family], 0);
  const counts = Object.fromEntries(families.map((family) => [family, Math.max(1, Math.floor((faults * weights[family]) / sum))])) as Counts;
  counts.F1 += Math.max(0, faults - families.reduce((total, family) => total + counts[family], 0));
  return counts;
}

/** Returns the faults of a run in random order. Each family uses its faults in turn. */
export function planFaults(counts: Counts, seed: number): Fault[] {
  const random = createRandom(seed);
  return random.shuffle(
    families.flatMap((family) => Array.from({ length: counts[family] }, (_, index) => catalogue[family][index % catalogue[family].length]!)),
  );
}
