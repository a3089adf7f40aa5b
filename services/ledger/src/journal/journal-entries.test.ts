import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, closingBalances } from "../../../../test/support/tenancy.ts";
import { entryBody, accountIdsByCode, createEntry, type SignedLine } from "./journal.fixtures.ts";

let office: Office;
let accountIds: Record<string, string>;

beforeAll(async () => {
  office = await anOffice();
  accountIds = await accountIdsByCode(office);
});

const balanced: SignedLine[] = [
  ["1000", 100],
  ["3100", -100],
];
const unbalanced: SignedLine[] = [
  ["1000", 100],
  ["3100", -99],
];

describe("createJournalEntry", () => {
  test("posts a balanced entry with its lines in order", async () => {
    const lines: SignedLine[] = [
      ["5010", 30],
      ["5020", 12],
      ["1000", -40],
      ["3200", -2],
    ];
    const { journalEntry } = await office.call("createJournalEntry", { body: entryBody(accountIds, lines, { memo: "Utilities" }) });
    expect(journalEntry).toMatchObject({
      status: "posted",
      source: "manual",
      memo: "Utilities",
      debitTotalCents: 42,
      creditTotalCents: 42,
      reversesId: null,
      reversedById: null,
      createdByUserId: office.userId,
      occurredAt: "2026-02-01T12:00:00.000Z",
    });
    expect(journalEntry.lines.map(({ accountCode, debitCents, creditCents }) => [accountCode, debitCents - creditCents])).toEqual(lines);
    const { journalEntry: read } = await office.call("getJournalEntry", { params: { id: journalEntry.id } });
    expect(read).toEqual(journalEntry);
  });

  test("refuses to post an unbalanced entry, without an effect", async () => {
    const before = await closingBalances(office);
    const { status, body } = await office.attempt("createJournalEntry", { body: entryBody(accountIds, unbalanced) });
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ path: "lines", code: "mismatch" })]]);
    expect(await closingBalances(office)).toEqual(before);
  });

  test("stores an unbalanced draft without an effect on the balances", async () => {
    const before = await closingBalances(office);
    const { journalEntry } = await office.call("createJournalEntry", { body: entryBody(accountIds, unbalanced, { status: "draft" }) });
    expect(journalEntry).toMatchObject({ status: "draft", debitTotalCents: 100, creditTotalCents: 99, lines: [{ debitCents: 100 }, { creditCents: 99 }] });
    expect(await closingBalances(office)).toEqual(before);
  });

  test.each([
    ["with a debit and a credit", { debitCents: 1, creditCents: 1 }, "lines.1.debitCents"],
    ["without an amount", {}, "lines.1.debitCents"],
    ["with zero amounts", { debitCents: 0, creditCents: 0 }, "lines.1.debitCents"],
    ["with a negative amount", { debitCents: -1 }, "lines.1.debitCents"],
    ["with half a cent", { creditCents: 0.5 }, "lines.1.creditCents"],
    ["above the largest safe integer", { debitCents: 2 ** 53 }, "lines.1.debitCents"],
    ["with an unknown account", { accountId: randomUUID(), creditCents: 100 }, "lines.1.accountId"],
    ["with an unknown property", { creditCents: 100, propertyId: randomUUID() }, "lines.1.propertyId"],
    ["with an unknown unit", { creditCents: 100, unitId: randomUUID() }, "lines.1.unitId"],
    ["with an unknown owner", { creditCents: 100, ownerId: randomUUID() }, "lines.1.ownerId"],
    ["with a description of 501 characters", { creditCents: 100, description: "d".repeat(501) }, "lines.1.description"],
  ])("refuses a line %s and names it", async (_, line, path) => {
    const body = {
      ...entryBody(accountIds, []),
      lines: [
        { accountId: accountIds["1000"]!, debitCents: 100 },
        { accountId: accountIds["3100"]!, ...line },
      ],
    };
    for (const entryStatus of ["posted", "draft"] as const) {
      const { status, body: error } = await office.attempt("createJournalEntry", { body: { ...body, status: entryStatus } });
      expect([status, new Set(error.errors?.map((fieldError) => fieldError.path))]).toEqual([400, new Set([path])]);
    }
  });

  test.each([
    ["memo", "", 400],
    ["memo", "m".repeat(500), 200],
    ["memo", "m".repeat(501), 400],
    ["occurredAt", "2026-02-30T00:00:00Z", 400],
    ["occurredAt", "2028-02-29T00:00:00Z", 200],
    ["occurredAt", "2026-02-01", 400],
    ["status", "reversed", 400],
    ["lines", [], 400],
    ["surprise", 1, 400],
  ])("with %s = %p returns %i", async (field, value, expected) => {
    const { status, body } = await office.attempt("createJournalEntry", { body: { ...entryBody(accountIds, balanced), [field]: value } });
    expect(status).toBe(expected);
    if (expected === 400) expect(body.errors?.[0]?.path).toBe(field);
  });

  test("accepts 2 to 500 lines", async () => {
    const pairs = (count: number): SignedLine[] => Array.from({ length: count }, (_, index) => ["1000", index % 2 === 0 ? 1 : -1]);
    const status = async (count: number) => (await office.attempt("createJournalEntry", { body: entryBody(accountIds, pairs(count)) })).status;
    expect([await status(2), await status(500), await status(502), await status(1)]).toEqual([200, 200, 400, 400]);
  });

  test("refuses lines whose sum exceeds the largest safe integer", async () => {
    const max = 2 ** 53 - 1;
    const body = entryBody(accountIds, [
      ["1000", max],
      ["1010", 1],
      ["3100", -max],
      ["3000", -1],
    ]);
    expect((await office.attempt("createJournalEntry", { body })).body.errors).toMatchObject([{ path: "lines", code: "max" }]);
  });

  test("refuses accounts, properties and units of another organization as unknown", async () => {
    const other = await anOffice();
    const foreign = await aTenancy(other);
    const foreignAccountIds = await accountIdsByCode(other);
    const errorsFor = async (line: object) => {
      const lines = [
        { accountId: accountIds["1000"]!, debitCents: 100 },
        { accountId: accountIds["3100"]!, creditCents: 100, ...line },
      ];
      return (await office.attempt("createJournalEntry", { body: { ...entryBody(accountIds, []), lines } })).body.errors;
    };
    expect(await errorsFor({ accountId: foreignAccountIds["3100"] })).toMatchObject([{ path: "lines.1.accountId", code: "not_found" }]);
    expect(await errorsFor({ propertyId: foreign.propertyId })).toMatchObject([{ path: "lines.1.propertyId", code: "not_found" }]);
    expect(await errorsFor({ unitId: foreign.unitId })).toMatchObject([{ path: "lines.1.unitId", code: "not_found" }]);
  });

  test("refuses a line with a unit of another property than its own, so that balances by unit add up to those of the property", async () => {
    const [one, other] = await Promise.all([aTenancy(office), aTenancy(office)]);
    const post = (unitId: string) => {
      const lines = [
        { accountId: accountIds["5000"]!, debitCents: 100, propertyId: one.propertyId, unitId },
        { accountId: accountIds["1000"]!, creditCents: 100, propertyId: one.propertyId },
      ];
      return office.attempt("createJournalEntry", { body: { ...entryBody(accountIds, []), lines } });
    };
    expect((await post(one.unitId)).status).toBe(200);
    const { status, body } = await post(other.unitId);
    expect([status, body.errors]).toMatchObject([400, [{ path: "lines.0.unitId", code: "mismatch" }]]);
  });

  test("with the same Idempotency-Key posts once", async () => {
    const before = await closingBalances(office);
    const request = { body: entryBody(accountIds, balanced), headers: { "Idempotency-Key": randomUUID() } };
    const responses = await Promise.all(Array.from({ length: 5 }, () => office.attempt("createJournalEntry", request)));
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await closingBalances(office))["1000"]).toBe(before["1000"]! + 100);
    const other = await office.attempt("createJournalEntry", { ...request, body: entryBody(accountIds, balanced, { memo: "another" }) });
    expect([other.status, other.body.code]).toEqual([409, "idempotency_key_reused"]);
  });

  test("is forbidden for staff, who can read reports", async () => {
    const staff = await office.colleague("staff");
    const { status, body } = await staff.attempt("createJournalEntry", { body: entryBody(accountIds, balanced) });
    expect([status, body.message]).toEqual([403, "Only admins or managers can create journal entries."]);
    expect((await staff.attempt("getTrialBalance")).status).toBe(200);
  });
});

describe("postJournalEntry", () => {
  const createDraft = (lines: SignedLine[]) => createEntry(office, accountIds, lines, { status: "draft" });

  test("posts a balanced draft, at the given time", async () => {
    const before = await closingBalances(office);
    const draft = await createDraft(balanced);
    const { journalEntry } = await office.call("postJournalEntry", { params: { id: draft.id }, body: { occurredAt: "2026-03-01T00:00:00Z" } });
    expect(journalEntry).toEqual({ ...draft, status: "posted", occurredAt: "2026-03-01T00:00:00.000Z" });
    expect((await closingBalances(office))["1000"]).toBe(before["1000"]! + 100);
  });

  test("refuses an unbalanced draft, which stays a draft", async () => {
    const { id } = await createDraft(unbalanced);
    const { status, body } = await office.attempt("postJournalEntry", { params: { id }, body: {} });
    expect([status, body.errors?.[0]]).toMatchObject([400, { path: "lines", code: "mismatch" }]);
    expect((await office.call("getJournalEntry", { params: { id } })).journalEntry.status).toBe("draft");
  });

  test("posts once for ten concurrent requests", async () => {
    const before = await closingBalances(office);
    const { id } = await createDraft(balanced);
    const responses = await Promise.all(Array.from({ length: 10 }, () => office.attempt("postJournalEntry", { params: { id }, body: {} })));
    const outcomes = responses.map(({ status, body }) => (status === 200 ? "posted" : `409 ${body.code}`));
    expect(outcomes.sort()).toEqual([...Array.from({ length: 9 }, () => "409 invalid_transition"), "posted"]);
    expect((await closingBalances(office))["1000"]).toBe(before["1000"]! + 100);
  });

  test("refuses an outdated version", async () => {
    const { id } = await createDraft(balanced);
    const { headers } = await office.attempt("getJournalEntry", { params: { id } });
    const post = (version: string) => office.attempt("postJournalEntry", { params: { id }, body: {}, headers: { "If-Match": version } });
    expect((await post('"99"')).status).toBe(412);
    expect((await post(headers.get("ETag")!)).status).toBe(200);
  });
});

describe("reverseJournalEntry", () => {
  test("posts the entry with debits and credits exchanged, and links both entries", async () => {
    const before = await closingBalances(office);
    const entry = await createEntry(
      office,
      accountIds,
      [
        ["5010", 30],
        ["5020", 12],
        ["1000", -42],
      ],
      { memo: "Taxes" },
    );
    const { journalEntry, reversal } = await office.call("reverseJournalEntry", { params: { id: entry.id }, body: { occurredAt: "2026-04-01T12:00:00Z" } });
    expect(journalEntry).toEqual({ ...entry, status: "reversed", reversedById: reversal.id });
    expect(reversal).toMatchObject({
      status: "posted",
      source: "reversal",
      reversesId: entry.id,
      memo: "Reversal: Taxes",
      occurredAt: "2026-04-01T12:00:00.000Z",
      lines: [{ creditCents: 30 }, { creditCents: 12 }, { debitCents: 42 }],
    });
    expect(await closingBalances(office)).toEqual(before);
  });

  test("refuses a reversed entry and a reversal", async () => {
    const { id } = await createEntry(office, accountIds, balanced);
    const { reversal } = await office.call("reverseJournalEntry", { params: { id }, body: {} });
    const attemptReversal = async (entryId: string) => {
      const { status, body } = await office.attempt("reverseJournalEntry", { params: { id: entryId }, body: {} });
      return [status, body.code];
    };
    expect(await attemptReversal(id)).toEqual([409, "already_reversed"]);
    expect(await attemptReversal(reversal.id)).toEqual([409, "resource_in_use"]);
  });

  test("dates the reversal on the entry's own date at the earliest", async () => {
    const { id } = await createEntry(office, accountIds, balanced, { occurredAt: "2190-02-01T12:00:00Z" });
    const reverse = (body: object) => office.attempt("reverseJournalEntry", { params: { id }, body });
    const { status, body } = await reverse({ occurredAt: "2190-01-31T12:00:00Z" });
    expect([status, body.errors?.[0]]).toMatchObject([400, { path: "occurredAt", code: "before_start" }]);
    expect((await reverse({})).body.reversal.occurredAt).toBe("2190-02-01T12:00:00.000Z");
  });

  test("refuses a draft", async () => {
    const { id } = await createEntry(office, accountIds, balanced, { status: "draft" });
    const { status, body } = await office.attempt("reverseJournalEntry", { params: { id }, body: {} });
    expect([status, body.code]).toEqual([409, "invalid_transition"]);
  });

  test("reverses each of fifty entries once for two concurrent requests", async () => {
    const before = await closingBalances(office);
    const entries = await Promise.all(Array.from({ length: 50 }, () => createEntry(office, accountIds, balanced)));
    const responses = await Promise.all([...entries, ...entries].map(({ id }) => office.attempt("reverseJournalEntry", { params: { id }, body: {} })));
    const outcomes = responses.map(({ status, body }) => (status === 200 ? "reversed" : `${status} ${body.code}`));
    expect([outcomes.filter((outcome) => outcome === "reversed").length, outcomes.filter((outcome) => outcome === "409 already_reversed").length]).toEqual([
      50, 50,
    ]);
    expect(await closingBalances(office)).toEqual(before);
  });

  test("concurrent with posting leaves the entry either posted or posted and reversed", async () => {
    const before = await closingBalances(office);
    const drafts = await Promise.all(Array.from({ length: 10 }, () => createEntry(office, accountIds, balanced, { status: "draft" })));
    const attempts = drafts.map(({ id }) =>
      Promise.all([office.attempt("postJournalEntry", { params: { id }, body: {} }), office.attempt("reverseJournalEntry", { params: { id }, body: {} })]),
    );
    let unreversedCount = 0;
    for (const [posted, reversed] of await Promise.all(attempts)) {
      expect([posted.status, [200, 409].includes(reversed.status)]).toEqual([200, true]);
      if (reversed.status === 409) unreversedCount++;
    }
    expect((await closingBalances(office))["1000"]).toBe(before["1000"]! + 100 * unreversedCount);
  });

  test("refuses entries of charges and payments, which are voided or reversed instead", async () => {
    const tenancy = await aTenancy(office);
    const chargeId = await aCharge(office, tenancy.leaseId, 100);
    await office.call("recordPayment", { body: { ...aPayment(tenancy, 100), allocations: [{ chargeId, amountCents: 40 }] } });
    for (const source of ["charge", "payment"]) {
      const { journalEntries } = await office.call("listJournalEntries", { query: { source, unitId: tenancy.unitId } });
      const { status, body } = await office.attempt("reverseJournalEntry", { params: { id: journalEntries[0]!.id }, body: {} });
      expect([source, status, body.code]).toEqual([source, 409, "resource_in_use"]);
    }
  });
});

describe("an entry of another organization", () => {
  test("is not found", async () => {
    const other = await anOffice();
    const { id } = await createEntry(office, accountIds, balanced, { status: "draft" });
    expect((await other.attempt("getJournalEntry", { params: { id } })).status).toBe(404);
    expect((await other.attempt("postJournalEntry", { params: { id }, body: {} })).status).toBe(404);
    expect((await other.attempt("reverseJournalEntry", { params: { id }, body: {} })).status).toBe(404);
  });
});
