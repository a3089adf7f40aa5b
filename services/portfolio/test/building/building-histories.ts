/** Random histories of a building, which are compared with the model as they happen, repeated for other models, and shrunk when they fail. */
import { isDeepStrictEqual, inspect } from "node:util";
import type { TokenMint } from "../../../../test/support/tokens.ts";
import { createRandom } from "../../../../test/systems/faults/random.ts";
import { currentDate } from "../fixtures.ts";
import { COMMAND_COUNT, runCommand } from "./building-commands.ts";
import { aBuilding, randomChoices, type Building, type Change } from "./building-context.ts";
import { observeAll, observeSome, type Observation } from "./building-observations.ts";
import { BuildingModel } from "./building.model.ts";
import { BuildingState } from "./building-state.ts";

/** Generated history: the index of each command and the seed of its random choices. */
export type History = readonly { command: number; seed: number }[];

/** Observations after a number of accepted changes. */
interface Recording {
  changeCount: number;
  observations: Observation[];
}

/** History as it happened in the system. */
export interface RecordedHistory {
  unitIds: readonly string[];
  today: string;
  changes: readonly Change[];
  recordings: readonly Recording[];
}

export function createHistory(seed: number, length: number): History {
  const random = createRandom(seed);
  return Array.from({ length }, () => ({ command: random.integerBelow(COMMAND_COUNT), seed: random.integerBelow(2 ** 31) }));
}

/** Returns the observations that a model contradicts, in words. */
const contradictions = (model: BuildingModel, observations: readonly Observation[]): string[] =>
  observations.flatMap(({ question, answer, expected }) => {
    const own = expected(model);
    const show = (value: unknown) => inspect(value, { breakLength: Infinity });
    return isDeepStrictEqual(own, answer) ? [] : [`${question}: the system answers ${show(answer)}, the model ${show(own)}`];
  });

/** Runs a history in a new organization. Throws an error with the requests so far when the system and the model disagree. */
export async function runHistory(mint: TokenMint, history: History): Promise<RecordedHistory> {
  const building = await aBuilding(mint);
  const { state, changes } = building;
  const model = new BuildingModel(state, state.today);
  const recordings: Recording[] = [];
  const requests: string[] = [];
  for (const [index, { command, seed }] of history.entries()) {
    const random = randomChoices(seed);
    const request = await runCommand(building, command, random);
    const isLast = index === history.length - 1;
    if (request === undefined && !isLast) continue;
    if (request !== undefined) requests.push(request);
    const observations = await (isLast ? observeAll(building) : observeSome(building, random));
    // The answers are those of another day when midnight has passed.
    if (currentDate() !== state.today) return runHistory(mint, history);
    recordings.push({ changeCount: changes.length, observations });
    const [contradiction] = contradictions(model, observations);
    if (contradiction) throw new Error(`${describeBuilding(building)}\n${requests.join("\n")}\n${contradiction}`);
  }
  return { unitIds: state.unitIds, today: state.today, changes, recordings };
}

const describeBuilding = ({ state, tenantIds }: Building): string => `today ${state.today}, units ${state.unitIds.join(" ")}, tenants ${tenantIds.join(" ")}`;

/** Tells whether a model contradicts any observation of a recorded history. `alter` changes the model before the history begins. */
export function isNoticed({ unitIds, today, changes, recordings }: RecordedHistory, alter: (model: BuildingModel) => void): boolean {
  const state = new BuildingState(unitIds, today);
  const model = new BuildingModel(state, today);
  alter(model);
  let applied = 0;
  return recordings.some(({ changeCount, observations }) => {
    while (applied < changeCount) changes[applied++]!(state);
    return contradictions(model, observations).length > 0;
  });
}

const MAX_SHRINKING_MS = 90_000;

/** Removes ever smaller parts from a failing history while it still fails. Returns the message of the smallest failing history. */
export async function shrinkHistory(mint: TokenMint, history: History, message: string): Promise<string> {
  const deadline = Date.now() + MAX_SHRINKING_MS;
  const failureOf = (candidate: History) =>
    runHistory(mint, candidate).then(
      () => undefined,
      (error: unknown) => (error as Error).message,
    );
  let [smallest, smallestMessage] = [history, message];
  for (let partLength = Math.ceil(history.length / 2); Date.now() < deadline; partLength = Math.ceil(partLength / 2)) {
    for (let end = smallest.length; end > 0 && Date.now() < deadline; end -= partLength) {
      const candidate = smallest.filter((_, index) => index < end - partLength || index >= end);
      const failure = await failureOf(candidate);
      if (failure) [smallest, smallestMessage] = [candidate, failure];
    }
    if (partLength === 1) break;
  }
  return smallestMessage;
}
