import { beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aDraft, adjust } from "../reconciliations/reconciliations.fixtures.ts";
import { aBankAccount } from "../trust.fixtures.ts";

let office: Office;
beforeAll(async () => {
  office = await anOffice();
});

const csv = (...rows: string[]) => ["Date,Amount,Description,Reference", ...rows, ""].join("\n");
const attempt = (id: string, content: string, name = "january.csv", from: Office = office) =>
  from.attempt("uploadStatementLines", { params: { id }, body: { file: new File([content], name) } });
const upload = async (id: string, content: string) => (await attempt(id, content)).body;
const linesOf = async (id: string, query: Record<string, string> = {}) =>
  (await office.call("listStatementLines", { params: { id }, query: { sortDirection: "asc", ...query } })).statementLines;

describe("uploadStatementLines", () => {
  test("adds the lines of a statement once, also when it is sent again or overlaps", async () => {
    const id = await aBankAccount(office, "business");
    const rows = ["2026-01-05,10.00,Rent,", "2026-01-05,10.00,Rent,", "2026-01-06,-5.00,Check,1001"];
    const first = await upload(id, csv(...rows));
    expect(first.statementUpload).toMatchObject({ bankAccountId: id, fileName: "january.csv", format: "csv", lineCount: 3, addedCount: 3, repeatedCount: 0 });
    expect(first.statementLines).toMatchObject([
      { uploadId: first.statementUpload.id, lineNumber: 2, date: "2026-01-05", amountCents: 1_000, description: "Rent", reference: null, isMatched: false },
      { lineNumber: 3 },
      { lineNumber: 4, amountCents: -500, reference: "1001" },
    ]);
    const again = await upload(id, csv(...rows));
    expect([again.statementUpload.addedCount, again.statementUpload.repeatedCount, again.statementLines]).toEqual([0, 3, []]);
    const overlapping = await upload(id, csv(...rows.slice(1), rows[0]!, rows[0]!, "2026-01-07,1.00,New,"));
    expect(overlapping.statementUpload).toMatchObject({ addedCount: 2, repeatedCount: 3 });
    expect((await linesOf(id)).map(({ amountCents }) => amountCents)).toEqual([1_000, 1_000, 1_000, -500, 100]);
  });

  test("adds the same lines once when two uploads run at the same time", async () => {
    const id = await aBankAccount(office, "business");
    const rows = Array.from({ length: 200 }, (_, index) => `2026-01-05,${index + 1}.00,Line ${index},`);
    const uploads = await Promise.all([csv(...rows), csv(...rows.toReversed()), csv(...rows)].map((content) => upload(id, content)));
    expect(uploads.reduce((sum, { statementUpload }) => sum + statementUpload.addedCount, 0)).toBe(200);
  });

  test("is kept apart for each account, and refused for an unknown and an archived one", async () => {
    const [one, other] = [await aBankAccount(office, "business"), await aBankAccount(office, "reserve")];
    const content = csv("2026-01-05,10.00,Rent,");
    for (const id of [one, other]) expect((await upload(id, content)).statementUpload.addedCount).toBe(1);
    expect((await attempt(randomUUID(), content)).status).toBe(404);
    expect((await attempt(one, content, "january.csv", await anOffice())).status).toBe(404);
    await office.call("archiveBankAccount", { params: { id: other } });
    const archived = await attempt(other, csv("2026-01-06,10.00,Rent,"));
    expect([archived.status, archived.body.code]).toEqual([409, "invalid_transition"]);
  });

  test("refuses a statement in another currency and of another account, and names wrong lines, without adding any", async () => {
    const id = await aBankAccount(office, "business");
    const ofx = (currency: string, account: string) =>
      `OFXHEADER:100\n\n<OFX><STMTRS><CURDEF>${currency}<BANKACCTFROM><ACCTID>${account}</BANKACCTFROM><STMTTRN><DTPOSTED>20260105<TRNAMT>1.00<FITID>1</STMTTRN></STMTRS></OFX>`;
    const refusal = async (content: string) => {
      const { status, body } = await attempt(id, content);
      return [status, body.errors?.map(({ path, code }) => [path, code])];
    };
    expect(await refusal(ofx("EUR", "004321"))).toEqual([400, [["file", "mismatch"]]]);
    expect(await refusal(ofx("USD", "001234"))).toEqual([400, [["file", "mismatch"]]]);
    expect(await refusal(csv("2026-01-05,10.00,Good,", "yesterday,10.00,Bad,", "2026-01-05,ten,Bad,"))).toEqual([
      400,
      [
        ["file", "format"],
        ["file", "format"],
      ],
    ]);
    expect(await linesOf(id)).toEqual([]);
    expect((await upload(id, ofx("USD", "004321"))).statementUpload).toMatchObject({ format: "ofx", addedCount: 1 });
  });

  test("takes a hundred thousand lines, of which it returns the first hundred", async () => {
    const id = await aBankAccount(office, "business");
    const rows = Array.from({ length: 100_000 }, (_, index) => `2026-01-${String(1 + (index % 31)).padStart(2, "0")},${(index + 1) / 100},Line,`);
    const { statementUpload, statementLines } = await upload(id, csv(...rows));
    expect([statementUpload.addedCount, statementLines.length, statementLines.at(-1)!.amountCents]).toEqual([100_000, 100, 100]);
  });
});

describe("listStatementLines", () => {
  test("filters by text, upload and day", async () => {
    const id = await aBankAccount(office, "business");
    const { statementUpload } = await upload(id, csv("2026-01-05,1.00,Rent of ANN,", "2026-01-06,2.00,Check,1042"));
    await upload(id, csv("2026-01-07,3.00,Other,"));
    const amounts = async (query: Record<string, string>) => (await linesOf(id, query)).map(({ amountCents }) => amountCents);
    expect(await amounts({ search: "ann" })).toEqual([100]);
    expect(await amounts({ search: "1042" })).toEqual([200]);
    expect(await amounts({ uploadId: statementUpload.id })).toEqual([100, 200]);
    expect(await amounts({ dateAfter: "2026-01-06", dateBefore: "2026-01-06" })).toEqual([200]);
    expect(await amounts({ isMatched: "true" })).toEqual([]);
  });
});

describe("deleteStatementUpload", () => {
  test("deletes the lines of the upload, which can be added again, unless one of them is matched", async () => {
    const id = await aBankAccount(office, "business");
    await adjust(office, id, "interest", 100, "2026-01-05");
    const kept = await upload(id, csv("2026-01-06,9.00,Kept,"));
    const content = csv("2026-01-05,1.00,Interest,", "2026-01-05,7.00,Unknown,");
    const { statementUpload } = await upload(id, content);
    const remove = () => office.attempt("deleteStatementUpload", { params: { id, uploadId: statementUpload.id } });
    const draft = await aDraft(office, id, 100);
    expect((await office.call("autoMatchReconciliation", { params: { id: draft }, body: {} })).autoMatch.matchedLines).toBe(1);
    expect(await remove()).toMatchObject({ status: 409, body: { code: "resource_in_use" } });
    await office.call("voidReconciliation", { params: { id: draft }, body: { reason: "again" } });
    expect(await remove()).toMatchObject({ status: 200, body: { statementUpload: { id: statementUpload.id, deletedAt: expect.any(String) } } });
    expect((await remove()).status).toBe(404);
    expect((await linesOf(id)).map((line) => line.id)).toEqual(kept.statementLines.map((line) => line.id));
    expect((await upload(id, content)).statementUpload.addedCount).toBe(2);
  });
});
