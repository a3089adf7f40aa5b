import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { aCharge, aTenancy, closingBalances } from "../../../../test/support/tenancy.ts";
import { withOwnerConnection } from "../../test/ledger.fixtures.ts";
import { accountIdsByCode, createEntry, entryBody, type SignedLine } from "./journal.fixtures.ts";

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
const createDraft = (lines = balanced) => createEntry(office, accountIds, lines, { status: "draft" });
const linesOf = (lines: SignedLine[]) => entryBody(accountIds, lines).lines;
const list = async (query: Record<string, string> = {}) => (await office.call("listJournalEntries", { query })).journalEntries;

/** Returns a posted and a reversed entry. */
async function createPostedAndReversed() {
  const [posted, reversed] = [await createEntry(office, accountIds, balanced), await createEntry(office, accountIds, balanced)];
  await office.call("reverseJournalEntry", { params: { id: reversed.id }, body: {} });
  return { posted, reversed };
}

describe("updateJournalEntry", () => {
  test("changes the members that are sent and keeps the others", async () => {
    const draft = await createDraft();
    const update = async (body: object) => (await office.call("updateJournalEntry", { params: { id: draft.id }, body })).journalEntry;
    expect(await update({ memo: "Changed" })).toEqual({ ...draft, memo: "Changed" });
    const changed = await update({
      occurredAt: "2026-03-01T12:00:00Z",
      lines: linesOf([
        ["5010", 7],
        ["1000", -9],
      ]),
    });
    expect(changed).toMatchObject({ memo: "Changed", occurredAt: "2026-03-01T12:00:00.000Z", status: "draft", debitTotalCents: 7, creditTotalCents: 9 });
    expect(changed.lines.map(({ accountCode, debitCents, creditCents }) => [accountCode, debitCents - creditCents])).toEqual([
      ["5010", 7],
      ["1000", -9],
    ]);
    expect((await list({ accountId: accountIds["3100"]!, status: "draft" })).map(({ id }) => id)).not.toContain(draft.id);
  });

  test("changes the lines that are posted afterwards", async () => {
    const before = await closingBalances(office);
    const { id } = await createDraft();
    await office.call("updateJournalEntry", {
      params: { id },
      body: {
        lines: linesOf([
          ["5010", 30],
          ["1000", -30],
        ]),
      },
    });
    await office.call("postJournalEntry", { params: { id }, body: {} });
    const after = await closingBalances(office);
    expect([after["5010"]! - before["5010"]!, after["1000"]! - before["1000"]!, after["3100"]! - before["3100"]!]).toEqual([30, -30, 0]);
  });

  test("refuses lines with unknown references and names them, without an effect", async () => {
    const draft = await createDraft();
    const [first, second] = linesOf(balanced);
    const errorFor = async (body: object) => {
      const { status, body: error } = await office.attempt("updateJournalEntry", { params: { id: draft.id }, body });
      return [status, error.errors?.[0]?.path];
    };
    expect(await errorFor({ lines: [first, { ...second, accountId: randomUUID() }] })).toEqual([400, "lines.1.accountId"]);
    expect(await errorFor({ lines: [first, { ...second, propertyId: randomUUID() }] })).toEqual([400, "lines.1.propertyId"]);
    expect(await errorFor({ lines: [first] })).toEqual([400, "lines"]);
    expect(await errorFor({ memo: "" })).toEqual([400, "memo"]);
    expect(await errorFor({ status: "posted" })).toEqual([400, "status"]);
    expect((await office.call("getJournalEntry", { params: { id: draft.id } })).journalEntry).toEqual(draft);
  });

  test("refuses posted and reversed entries and names the remedy", async () => {
    const { posted, reversed } = await createPostedAndReversed();
    for (const { id } of [posted, reversed]) {
      const { status, body } = await office.attempt("updateJournalEntry", { params: { id }, body: { memo: "Changed" } });
      expect([status, body.code]).toEqual([409, "invalid_transition"]);
    }
    const { body } = await office.attempt("updateJournalEntry", { params: { id: posted.id }, body: { memo: "Changed" } });
    expect(body.message).toBe("The journal entry is posted. Only drafts can be changed. Reverse it and create a new entry instead.");
  });

  test("refuses an outdated version", async () => {
    const { id } = await createDraft();
    const { headers } = await office.attempt("getJournalEntry", { params: { id } });
    const update = () => office.attempt("updateJournalEntry", { params: { id }, body: { memo: "Changed" }, headers: { "If-Match": headers.get("ETag")! } });
    expect([(await update()).status, (await update()).status]).toEqual([200, 412]);
  });

  test("concurrent with posting either takes effect before the posting or is refused", async () => {
    const drafts = await Promise.all(Array.from({ length: 10 }, () => createDraft()));
    for (const { id } of drafts) {
      const lines = linesOf([
        ["1000", 200],
        ["3100", -200],
      ]);
      const [updated, posted] = await Promise.all([
        office.attempt("updateJournalEntry", { params: { id }, body: { lines } }),
        office.attempt("postJournalEntry", { params: { id }, body: {} }),
      ]);
      const { journalEntry } = await office.call("getJournalEntry", { params: { id } });
      expect([updated.status, posted.status, journalEntry.debitTotalCents]).toEqual([updated.status, 200, updated.status === 200 ? 200 : 100]);
      expect([200, 409]).toContain(updated.status);
    }
  });
});

describe("deleteJournalEntry", () => {
  test("hides a draft everywhere, except in lists that include deleted drafts", async () => {
    const draft = await createDraft();
    const total = (await office.call("listJournalEntries", { query: { page: 1 } })).total;
    const { journalEntry } = await office.call("deleteJournalEntry", { params: { id: draft.id } });
    expect(journalEntry).toEqual({ ...draft, deletedAt: expect.any(String) });
    expect((await office.attempt("getJournalEntry", { params: { id: draft.id } })).status).toBe(404);
    expect((await list()).map(({ id }) => id)).not.toContain(draft.id);
    expect((await office.call("listJournalEntries", { query: { page: 1 } })).total).toBe(total! - 1);
    expect(await list({ includeDeleted: "true", status: "draft" })).toContainEqual(journalEntry);
    const staff = await office.colleague("staff");
    expect((await staff.attempt("listJournalEntries", { query: { includeDeleted: "true" } })).status).toBe(403);
  });

  test("refuses every further change of the draft as not found", async () => {
    const { id } = await createDraft();
    await office.call("deleteJournalEntry", { params: { id } });
    expect((await office.attempt("deleteJournalEntry", { params: { id } })).status).toBe(404);
    expect((await office.attempt("updateJournalEntry", { params: { id }, body: {} })).status).toBe(404);
    expect((await office.attempt("postJournalEntry", { params: { id }, body: {} })).status).toBe(404);
    expect((await office.attempt("reverseJournalEntry", { params: { id }, body: {} })).status).toBe(404);
  });

  test("refuses posted and reversed entries, also those of charges", async () => {
    const { posted, reversed } = await createPostedAndReversed();
    const { leaseId, unitId } = await aTenancy(office);
    await aCharge(office, leaseId, 100);
    const [ofCharge] = await list({ source: "charge", unitId });
    for (const { id } of [posted, reversed, ofCharge!]) {
      const { status, body } = await office.attempt("deleteJournalEntry", { params: { id } });
      expect([status, body.code]).toEqual([409, "invalid_transition"]);
    }
  });
});

describe("control accounts", () => {
  const controlAccounts = ["1050", "1100", "1150", "2000", "2100", "2110", "2150", "2200", "2250"];

  test.each(controlAccounts)("%s takes no manual line, posted or in a draft, and the refusal names the remedy", async (code) => {
    const body = entryBody(accountIds, [
      ["1000", 100],
      [code, -100],
    ]);
    const { id } = await createDraft();
    const attempts = await Promise.all([
      office.attempt("createJournalEntry", { body }),
      office.attempt("createJournalEntry", { body: { ...body, status: "draft" } }),
      office.attempt("updateJournalEntry", { params: { id }, body: { lines: body.lines } }),
    ]);
    for (const { status, body: error } of attempts) {
      expect([status, error.errors]).toEqual([400, [{ path: "lines.1.accountId", code: "control_account", message: expect.stringMatching(/ instead\.$/) }]]);
    }
  });

  test("are each named in the refusal", async () => {
    const { body } = await office.attempt("createJournalEntry", {
      body: entryBody(accountIds, [
        ["1050", 100],
        ["2150", -100],
      ]),
    });
    expect(body.errors?.map(({ path }) => path)).toEqual(["lines.0.accountId", "lines.1.accountId"]);
  });

  test("are refused when an older draft with such a line is posted", async () => {
    const { id } = await createDraft();
    await withOwnerConnection(office, (client) =>
      client.query("update journal_entry set draft_lines = jsonb_set(draft_lines, '{1,accountId}', to_jsonb($2::text)) where id = $1", [
        id,
        accountIds["2200"],
      ]),
    );
    const { status, body } = await office.attempt("postJournalEntry", { params: { id }, body: {} });
    expect([status, body.errors?.[0]]).toMatchObject([400, { path: "lines.1.accountId", code: "control_account" }]);
  });

  test("are the only ones: every other account takes manual lines", async () => {
    const codes = Object.keys(accountIds).filter((code) => !controlAccounts.includes(code) && code !== "1000");
    const lines = codes.map((code): SignedLine => [code, -1]);
    expect((await createEntry(office, accountIds, [["1000", codes.length], ...lines])).lines).toHaveLength(codes.length + 1);
  });
});
