/** Context of the commands of random histories: the organization, the model, random choices and expected outcomes. */
import { expect } from "@jest/globals";
import { addDays, daysBetween } from "@freehold/kit/time/plain-date";
import type { Client } from "pg";
import type { Attempt } from "../../../../test/support/client.ts";
import type { Office } from "../../../../test/support/office.ts";
import { aTenancy, type Tenancy } from "../../../../test/support/tenancy.ts";
import { takeSnapshot } from "../invariants.queries.ts";
import type { LedgerModel } from "./ledger.model.ts";

/** Tenancy of a history, with a co-tenant and another lease of the tenant, at another property. */
export interface Household extends Tenancy {
  coTenantId: string;
  otherLeaseId: string;
}

/** Signs the leases of a household, which have no recurring rent. */
export async function aHousehold(office: Office): Promise<Household> {
  const { tenant: coTenant } = await office.call("createTenant", { body: { fullName: "Cody Co-Tenant" } });
  const tenancy = await aTenancy(office, { startDate: FIRST_DATE, coTenantId: coTenant.id });
  const other = await aTenancy(office, { startDate: FIRST_DATE, tenantId: tenancy.tenantId });
  return { ...tenancy, coTenantId: coTenant.id, otherLeaseId: other.leaseId };
}

/** Records of another organization, which must be unreachable. */
export interface ForeignRecords {
  tenancy: Tenancy;
  chargeId: string;
  paymentId: string;
  entryId: string;
  accountId: string;
}

/** Accounting period that a history closed. */
interface ClosedMonth {
  id: string;
  endDate: string;
  isSoft: boolean;
  /** Fingerprint of the journal through the month at its close. */
  fingerprint: string;
}

/** Reports of one version of the ledger, with the lease whose ledgers they include. */
export interface VersionedReports {
  tenancy: Tenancy;
  ledgerVersion: number;
  reports: unknown;
}

/** Organization in which histories run. */
export interface Environment {
  office: Office;
  accountIds: Record<string, string>;
  database: Client;
  foreign: ForeignRecords;
  /** Model of each history run in the organization; each history has a lease of its own. */
  models: LedgerModel[];
  /** Closed months of the organization, in order. */
  closedMonths: ClosedMonth[];
  /** Reports that the current history has read. */
  versionedReports: VersionedReports[];
}

/** Context of a command: the household, the model and the random choices of its history. */
export interface CommandContext extends Environment {
  tenancy: Household;
  model: LedgerModel;
  random: ReturnType<typeof seededRandom>;
}
/** Context of a command on the organization. */
export type PeriodContext = Environment & Pick<CommandContext, "random">;
export type Outcome = "accepted" | "refused";
/** Returns the outcome, or undefined when there is no record yet to which the command applies. */
export type Command = (context: CommandContext) => Promise<Outcome | undefined>;

/** Creates a Mulberry32 generator: equal seeds give equal choices. */
export function seededRandom(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (max: number): number => 1 + Math.floor(next() * max);
  const pick = <T>(items: Iterable<T>): T | undefined => {
    const list = [...items];
    return list[Math.floor(next() * list.length)];
  };
  return { integer, pick, chance: (probability: number) => next() < probability };
}

/** First of the random dates, which span fifteen months. */
export const FIRST_DATE = "2025-07-01";
/** Day after the last possible random date. */
export const DAY_AFTER_LAST_DATE = "2026-10-01";
export const randomDate = ({ integer }: CommandContext["random"]): string => addDays(FIRST_DATE, integer(daysBetween(FIRST_DATE, DAY_AFTER_LAST_DATE)) - 1);
/** Returns the first day that is not in a closed month. */
export const firstOpenDay = (closedMonths: readonly { endDate: string }[]): string =>
  closedMonths.length === 0 ? FIRST_DATE : addDays(closedMonths.at(-1)!.endDate, 1);
const outcomeOfStatus = (status: number): Outcome | number => (status === 200 ? "accepted" : [400, 404, 409].includes(status) ? "refused" : status);
export const expectedOutcome = (isAllowed: boolean): Outcome => (isAllowed ? "accepted" : "refused");

/** Share of the refused commands that are checked for effects. */
const SNAPSHOT_PROBABILITY = 0.1;

/** Calls the API and expects the request to be accepted or refused; some refusals are also expected to have no effect. */
export async function attemptExpecting<A extends Pick<Attempt<"getCharge">, "status" | "text">>(
  { database, random }: PeriodContext,
  isAllowed: boolean,
  call: () => Promise<A>,
): Promise<A> {
  const before = !isAllowed && random.chance(SNAPSHOT_PROBABILITY) ? await takeSnapshot(database) : undefined;
  const response = await call();
  expect([outcomeOfStatus(response.status), response.text]).toEqual([expectedOutcome(isAllowed), response.text]);
  if (before) expect(await takeSnapshot(database)).toEqual(before);
  return response;
}
