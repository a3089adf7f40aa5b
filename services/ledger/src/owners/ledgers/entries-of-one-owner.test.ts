/** Manual entries whose lines name an owner, which move the money of that owner alone. */
import { describe, expect, test } from "@jest/globals";
import { accountIdsByCode } from "../../journal/journal.fixtures.ts";
import { aBankAccount } from "../../trust/trust.fixtures.ts";
import { anOwnedProperty, anOwner, aPayingOffice, ownMoneyIn } from "../owners.fixtures.ts";

/** Property of Ann (600.00) and Ben (400.00) in an operating account, another account, and a property of Ann alone with 100.00. */
async function aSharedProperty() {
  const { office, ann, ben, propertyId, bankAccountId } = await aPayingOffice({ annBps: 6_000 });
  const [other, accounts] = [await aBankAccount(office, "operating"), await accountIdsByCode(office)];
  const { propertyId: ofAnn } = await anOwnedProperty(office, { rentCents: 10_000, shares: { [ann]: 10_000 } }, bankAccountId);
  /** Posts an entry of lines on the bank accounts, credits negative, and with a code on another account. */
  const post = async (...lines: { cents: number; code?: string; propertyId?: string; ownerId?: string; bankAccountId?: string }[]) => {
    const requested = lines.map(({ cents, code, ...line }) => ({
      accountId: accounts[code ?? "1000"]!,
      ...(cents > 0 ? { debitCents: cents } : { creditCents: -cents }),
      ...(code ? {} : { bankAccountId }),
      ...line,
    }));
    const body = { memo: "Moved", occurredAt: "2026-01-20T17:00:00.000Z", status: "posted" as const, lines: requested };
    const response = await office.attempt("createJournalEntry", { body });
    return { result: [response.status, response.body.code], id: response.body.journalEntry?.id };
  };
  /** Returns the money of the owners of the shared property in the operating account, and that in the other account. */
  const moneyIn = async () => {
    const { subLedgers } = await office.call("listSubLedgers", { params: { id: bankAccountId }, query: { asOf: "2199-12-31" } });
    const here = subLedgers.flatMap((row) => (row.kind === "owner" && row.propertyId === propertyId ? [[String(row.ownerId), row.balanceCents]] : []));
    return [Object.fromEntries(here) as Record<string, number>, await ownMoneyIn(office, other)];
  };
  return { office, ann, ben, propertyId, ofAnn, other, post, moneyIn };
}

const refused = [409, "insufficient_trust_funds"];
const posted = [200, undefined];

describe("an entry whose line on a bank account names an owner", () => {
  test("moves that owner's money to another property, and is refused beyond it", async () => {
    const { office, ann, ben, propertyId, ofAnn, post, moneyIn } = await aSharedProperty();
    const move = (cents: number, spentCents = 0) =>
      post(
        { cents: -cents - spentCents, propertyId, ownerId: ann },
        { cents, propertyId: ofAnn, ownerId: ann },
        ...(spentCents ? [{ cents: spentCents, code: "5090", propertyId, ownerId: ann }] : []),
      );
    expect([(await move(90_000)).result, (await move(90_000, 1)).result]).toEqual([refused, refused]);
    const { result, id } = await move(50_000);
    expect([result, await moneyIn()]).toEqual([posted, [{ [ann]: 10_000, [ben]: 40_000 }, {}]]);
    expect((await move(9_000, 1_000)).result).toEqual(posted);
    expect([(await move(10)).result, await moneyIn()]).toEqual([refused, [{ [ben]: 40_000 }, {}]]);
    expect((await office.attempt("reverseJournalEntry", { params: { id: id! }, body: {} })).status).toBe(200);
    expect(await moneyIn()).toEqual([{ [ann]: 50_000, [ben]: 40_000 }, {}]);
  });

  test("moves that owner's money to another bank account when the other line names no owner, in either direction", async () => {
    const { ann, ben, propertyId, other, post, moneyIn } = await aSharedProperty();
    const leave = (cents: number) => post({ cents: -cents, propertyId, ownerId: ann }, { cents, propertyId, bankAccountId: other });
    const arrive = (cents: number) => post({ cents: -cents, propertyId }, { cents, propertyId, ownerId: ben, bankAccountId: other });
    expect([(await leave(90_000)).result, (await arrive(50_000)).result]).toEqual([refused, refused]);
    expect([(await leave(10_000)).result, (await arrive(4_000)).result]).toEqual([posted, posted]);
    expect(await moneyIn()).toEqual([
      { [ann]: 50_000, [ben]: 36_000 },
      { [ann]: 10_000, [ben]: 4_000 },
    ]);
  });

  test("takes only from the owner whom it names, and not from one without a share", async () => {
    const { office, ann, ben, propertyId, post, moneyIn } = await aSharedProperty();
    const stranger = await anOwner(office, "Cat");
    const take = (ownerId: string, cents: number) => post({ cents: -cents, propertyId, ownerId }, { cents });
    expect([(await take(stranger, 100)).result, (await take(ann, 60_010)).result]).toEqual([refused, refused]);
    expect([(await take(ann, 50_000)).result, await moneyIn()]).toEqual([posted, [{ [ann]: 10_000, [ben]: 40_000 }, {}]]);
  });
});

describe("an entry between the income of two owners", () => {
  test("gives the other owner what the first one has, and is refused beyond it, as is its reversal once that was spent", async () => {
    const { office, ann, ben, propertyId, post, moneyIn } = await aSharedProperty();
    const give = (cents: number) => post({ cents, code: "4090", propertyId, ownerId: ann }, { cents: -cents, code: "4090", propertyId, ownerId: ben });
    expect((await give(150_000)).result).toEqual(refused);
    const { result, id } = await give(45_000);
    expect([result, await moneyIn()]).toEqual([posted, [{ [ann]: 15_000, [ben]: 85_000 }, {}]]);
    expect((await post({ cents: 50_000, code: "5090", propertyId, ownerId: ben }, { cents: -50_000, propertyId, ownerId: ben })).result).toEqual(posted);
    expect((await office.attempt("reverseJournalEntry", { params: { id: id! }, body: {} })).body.code).toBe("insufficient_trust_funds");
    // An entry that gives nothing to other owners takes none of their money.
    expect((await post({ cents: 90_000, code: "5090", propertyId, ownerId: ann }, { cents: -90_000, code: "4090" })).result).toEqual(posted);
  });
});
