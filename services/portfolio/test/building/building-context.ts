/** Building of a random history: its records in the system under test, the state of the model, and random choices. */
import { addDays } from "@freehold/kit/time/plain-date";
import { randomUUID } from "node:crypto";
import type { OperationId } from "@freehold/contract";
import { Client, type Attempt, type Request } from "../../../../test/support/client.ts";
import { retryWhileUnavailable } from "../../../../test/support/eventually.ts";
import { aConfirmedOffice, type Office } from "../../../../test/support/office.ts";
import type { TokenMint } from "../../../../test/support/tokens.ts";
import { createRandom } from "../../../../test/systems/faults/random.ts";
import { aProperty, aTenant, aUnit, currentDate } from "../fixtures.ts";
import { BuildingState } from "./building-state.ts";

const UNIT_COUNT = 3;
const TENANT_COUNT = 6;

/** Property with units, in an organization of its own, and tenants who read the portal. */
export interface Building {
  office: Office;
  propertyId: string;
  tenantIds: readonly string[];
  /** Clients of the tenants' portals, by tenant. */
  portals: ReadonlyMap<string, Client>;
  state: BuildingState;
  /** Changes of the state since the history began, which repeat it for another model. */
  changes: Change[];
}

export type Change = (state: BuildingState) => void;

export async function aBuilding(mint: TokenMint): Promise<Building> {
  const office = await aConfirmedOffice();
  const { organizationId, baseUrl } = office;
  const { id: propertyId } = await aProperty(office, { units: UNIT_COUNT });
  const units = await Promise.all(Array.from({ length: UNIT_COUNT }, (_, index) => aUnit(office, propertyId, { unitNumber: String(index + 1) })));
  const tenants = await Promise.all(Array.from({ length: TENANT_COUNT }, () => aTenant(office)));
  const portalOf = (subjectId: string) => new Client(baseUrl, mint.genuine({ organizationId, role: "tenant", subjectId, expiresInSeconds: 3_600 }));
  const state = new BuildingState(
    units.map(({ id }) => id),
    currentDate(),
  );
  return {
    office,
    propertyId,
    tenantIds: tenants.map(({ id }) => id),
    portals: new Map(tenants.map(({ id }) => [id, portalOf(id)])),
    state,
    changes: [],
  };
}

/** Creates the random choices of one command. */
export function randomChoices(seed: number) {
  const { next, integerBelow } = createRandom(seed);
  const pick = <T>(items: Iterable<T>): T | undefined => {
    const list = [...items];
    return list[integerBelow(list.length)];
  };
  return { integerBelow, pick, chance: (probability: number) => next() < probability };
}
export type Random = ReturnType<typeof randomChoices>;

/** Days on which leases start, relative to today. */
const FIRST_START = -60;
const START_DAYS = 110;

export const randomStart = ({ integerBelow }: Random, { today }: BuildingState): string => addDays(today, FIRST_START + integerBelow(START_DAYS));
/** Returns a random day from a few days before `from` to six weeks after it. */
export const randomDayNear = ({ integerBelow }: Random, from: string): string => addDays(from, integerBelow(45) - 3);
/** Returns the last day of a random term, which is sometimes one day long. */
export const randomEnd = ({ integerBelow }: Random, startDate: string): string => addDays(startDate, integerBelow(50));

/** Sends a request until its response is not 503, with one idempotency key, so that a transition which the ledger missed is completed. */
export async function send<Id extends OperationId>(client: Client, id: Id, request: Request<Id>): Promise<Attempt<Id>> {
  const headers = { "Idempotency-Key": randomUUID() };
  const response = await retryWhileUnavailable(() => client.attempt(id, { ...request, headers }));
  if (![200, 400, 404, 409].includes(response.status)) throw new Error(`${id} returned ${response.status}: ${response.text}`);
  return response;
}
