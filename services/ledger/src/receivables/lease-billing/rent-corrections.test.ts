/** Rent of leases whose rent changes are recorded, charged, voided, corrected and deleted in any order. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { addDays, addMonths, endOfMonth, startOfMonth, withDayOfMonth } from "@freehold/kit/time/plain-date";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { seededRandom } from "../../../test/histories/command-context.ts";
import { todayInOffice, waitForDailyJobs } from "../../../test/ledger.fixtures.ts";

let office: Office;

beforeAll(async () => {
  office = await anOffice();
  await waitForDailyJobs(office);
});

const month = (months: number) => addMonths(startOfMonth(todayInOffice()), months);
const START = month(-3);
const LAST_DAY = endOfMonth(month(4));

interface RentedUnit {
  leaseId: string;
  propertyId: string;
}
const aLeaseWithRent = (): Promise<RentedUnit> => aTenancy(office, { startDate: START, createRecurringRent: true });
const changeRent = ({ leaseId }: RentedUnit, effectiveDate: string, rentCents: number) =>
  office.attempt("createRentChange", { params: { id: leaseId }, body: { effectiveDate, rentCents } });
const post = ({ propertyId }: RentedUnit, throughDate: string) => office.call("postDueCharges", { body: { throughDate, propertyId } });
const listRents = async ({ leaseId }: RentedUnit) =>
  (await office.call("listCharges", { query: { leaseId, chargeType: "rent", sortDirection: "asc", pageSize: 100 } })).charges;
const listRules = async ({ leaseId }: RentedUnit) => (await office.call("listRecurringCharges", { query: { leaseId } })).recurringChargeRules;
const listChanges = async ({ leaseId }: RentedUnit) =>
  (await office.call("listRentChanges", { params: { id: leaseId }, query: { sortDirection: "asc", pageSize: 100 } })).rentChanges;

async function voidRentsFrom(unit: RentedUnit, day: string): Promise<void> {
  for (const { id, status, periodEnd } of await listRents(unit))
    if (status !== "voided" && periodEnd! >= day) await office.call("voidCharge", { params: { id }, body: { reason: "The rent was wrong." } });
}

/** Changes the rent from a day on after voiding the rent from that day on, which the daily job may post again in between. */
async function correctRent(unit: RentedUnit, effectiveDate: string, rentCents: number): Promise<void> {
  await eventually("rent change", async () => {
    await voidRentsFrom(unit, effectiveDate);
    return (await changeRent(unit, effectiveDate, rentCents)).status === 200;
  });
}

const days = Array.from({ length: 250 }, (_, index) => addDays(START, index)).filter((day) => day <= LAST_DAY);
const covers = (day: string) => (rule: { startDate: string; endDate: string | null }) => rule.startDate <= day && (!rule.endDate || day <= rule.endDate);

/** Requires exactly one recurring charge, of the rent of that day, for each day of the lease, and an active one from today on. */
async function requireOneRentEachDay(unit: RentedUnit): Promise<void> {
  const [rules, changes] = [await listRules(unit), await listChanges(unit)];
  const agreed = (day: string) => changes.findLast(({ effectiveDate }) => effectiveDate <= day)?.rentCents ?? 100_000;
  const today = todayInOffice();
  const wrong = days.flatMap((day) => {
    const charged = rules.filter(covers(day));
    const expected = agreed(day) === 0 ? [] : [agreed(day)];
    const isRight = JSON.stringify(charged.map(({ amountCents }) => amountCents)) === JSON.stringify(expected);
    return isRight && (day < today || charged.every(({ status }) => status === "active")) ? [] : [{ day, agreed: agreed(day), charged }];
  });
  expect(wrong[0]).toBeUndefined();
}

/** Requires one charge for each day up to the last posted one, unless the office has voided a charge of that day. */
async function requireEachDayChargedOnce(unit: RentedUnit, throughDate: string): Promise<void> {
  const [rents, rules] = [await listRents(unit), await listRules(unit)];
  const isOn = (day: string) => (charge: { periodStart: string | null; periodEnd: string | null }) => charge.periodStart! <= day && day <= charge.periodEnd!;
  const wrong = days
    .filter((day) => day <= throughDate)
    .flatMap((day) => {
      const ofDay = rents.filter(isOn(day));
      const live = ofDay.filter(({ status }) => status !== "voided");
      const isCharged = rules.some(covers(day));
      const isRight = live.length === (isCharged ? 1 : 0) || (live.length === 0 && ofDay.length > 0);
      return isRight ? [] : [{ day, live: live.map(({ periodStart, periodEnd, amountCents }) => [periodStart, periodEnd, amountCents]) }];
    });
  expect(wrong[0]).toBeUndefined();
}

describe("a rent change that has begun and is replaced by another one for its date", () => {
  const summariesSince = async (unit: RentedUnit, day: string) =>
    (await listRents(unit)).filter(({ status, dueDate }) => status !== "voided" && dueDate >= day).map(({ dueDate, amountCents }) => [dueDate, amountCents]);

  test.each([
    ["its charge was voided", true],
    ["nothing was charged under it", false],
  ])("charges the rent of the last one when %s", async (_, isCharged) => {
    const unit = await aLeaseWithRent();
    await correctRent(unit, month(0), 110_000);
    if (isCharged) await post(unit, month(0));
    await correctRent(unit, month(0), 105_000);
    await post(unit, month(1));
    expect(await summariesSince(unit, month(0))).toEqual([
      [month(0), 105_000],
      [month(1), 105_000],
    ]);
    await requireOneRentEachDay(unit);
  });

  test.each([
    ["from no rent", 0, 105_000],
    ["to no rent", 110_000, 0],
  ])("charges what is agreed when it corrects a change %s", async (_, wrongCents, rentCents) => {
    const unit = await aLeaseWithRent();
    for (const cents of [wrongCents, rentCents]) await correctRent(unit, month(-1), cents);
    await post(unit, month(0));
    expect(await summariesSince(unit, month(-1))).toEqual(
      rentCents === 0
        ? []
        : [
            [month(-1), rentCents],
            [month(0), rentCents],
          ],
    );
    await requireOneRentEachDay(unit);
  });

  test("charges its own months only when a later change has begun, also if it is recorded after that", async () => {
    const unit = await aLeaseWithRent();
    await correctRent(unit, month(-1), 120_000);
    await correctRent(unit, month(0), 130_000);
    await correctRent(unit, month(-1), 125_000);
    await correctRent(unit, withDayOfMonth(month(-2), 16), 115_000);
    await requireOneRentEachDay(unit);
  });

  test("keeps the name of the rent that it replaces", async () => {
    const unit = await aLeaseWithRent();
    await correctRent(unit, month(0), 110_000);
    const replaced = (await listRules(unit)).find(({ amountCents }) => amountCents === 110_000)!;
    await office.call("updateRecurringCharge", { params: { id: replaced.id }, body: { label: "Base rent" } });
    await correctRent(unit, month(0), 105_000);
    expect((await listRules(unit)).find(({ amountCents }) => amountCents === 105_000)).toMatchObject({ label: "Base rent", status: "active" });
  });
});

test.each(Array.from({ length: 6 }, (_, index) => 20_261_136 + index))(
  "an active lease has exactly one rent for each day after any sequence of rent changes, seed %i",
  async (seed) => {
    const { integer, pick } = seededRandom(seed);
    const unit = await aLeaseWithRent();
    const dates = [-2, -1, 0, 1, 2].flatMap((months) => [month(months), withDayOfMonth(month(months), 11)]);
    const commands: Record<string, () => Promise<unknown>> = {
      change: () => changeRent(unit, pick(dates)!, pick([0, 90_000, 105_000, 110_000 + integer(9)])!),
      delete: async () => {
        const change = pick(await listChanges(unit));
        return change && office.attempt("deleteRentChange", { params: { id: change.id } });
      },
      post: () => post(unit, pick([todayInOffice(), endOfMonth(month(2))])!),
      void: () => voidRentsFrom(unit, pick(dates)!),
      correct: async () => {
        const begun = (await listChanges(unit)).filter(({ effectiveDate }) => effectiveDate <= todayInOffice());
        const change = pick(begun);
        if (change) await correctRent(unit, change.effectiveDate, 101_000 + integer(9));
      },
    };
    for (let step = 0; step < 10; step++) {
      await commands[pick(["change", "change", "delete", "post", "void", "correct", "correct"])!]!();
      await requireOneRentEachDay(unit);
    }
    await post(unit, LAST_DAY);
    await requireEachDayChargedOnce(unit, LAST_DAY);
  },
);
