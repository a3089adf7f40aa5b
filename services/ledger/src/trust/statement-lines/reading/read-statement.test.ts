import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCsvStatement } from "./csv-statement.ts";
import { readOfxStatement } from "./ofx-statement.ts";
import { readStatement } from "./read-statement.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "statement-"));
});
afterAll(() => rm(dir, { recursive: true }));

const MASK = "4321";
async function read(content: string | Buffer) {
  const path = join(dir, "statement");
  await writeFile(path, content);
  return readStatement(path, MASK);
}
const errorsOf = async (content: string | Buffer): Promise<string[]> => {
  const { errors } = (await read(content).then(
    () => ({ errors: [] }),
    (error: unknown) => error,
  )) as { errors: { message: string; path: string }[] };
  for (const { path } of errors) expect(path).toBe("file");
  return errors.map(({ message }) => message);
};
const amountsOf = async (content: string | Buffer) => (await read(content)).lines.map(({ date, amountCents }) => [date, amountCents]);

describe("a CSV statement", () => {
  test("has its columns in any order, under usual names, below titles", async () => {
    const csv =
      '\ufeffFirst Bank\n\nAccount activity,January\n"Check #",Memo,Posting Date,Amount (USD),Balance\n1001,"Paid, by check",01/10/2026,"-1,300.00",5\n,,,,\n,Deposit,2026-01-06,$2.50,6\n';
    expect(await read(csv)).toEqual({
      format: "csv",
      closingBalanceCents: null,
      closingDate: null,
      lines: [
        { lineNumber: 5, date: "2026-01-10", amountCents: -130_000, description: "Paid, by check", reference: "1001", bankTransactionId: null },
        { lineNumber: 7, date: "2026-01-06", amountCents: 250, description: "Deposit", reference: null, bankTransactionId: null },
      ],
    });
  });

  test("has debits and credits, also in Windows-1252, with semicolons, and lines of 0.00 that are left out", async () => {
    expect(
      await amountsOf(
        Buffer.from("Date;Debit;Credit;Details\n2026-01-01;5.00;;Caf\xe9\n2026-01-02;-6.00;;\n2026-01-03;;7.00;\n2026-01-04;0.00;0.00;", "latin1"),
      ),
    ).toEqual([
      ["2026-01-01", -500],
      ["2026-01-02", -600],
      ["2026-01-03", 700],
    ]);
  });

  test("names each wrong line", async () => {
    const csv =
      "Date,Amount,Debit,Credit,Currency,Account number\n31/01/2026,1,,,,\n2026-01-01,1.234,,,,\n2026-01-02,,,,,\n2026-01-03,,1,2,,\n2026-01-04,5,,,EUR,\n2026-01-05,5,,,USD,0004322\n2026-01-06,5,,,usd,99-4321\n";
    expect(await errorsOf(csv)).toEqual([
      expect.stringContaining('Line 2: "31/01/2026" is not a date'),
      expect.stringContaining('Line 3: "1.234" is not an amount'),
      expect.stringContaining("Line 4: The amount is missing"),
      expect.stringContaining("Line 5: The row has both"),
      expect.stringContaining("Line 6: The currency is EUR"),
      expect.stringContaining("Line 7: The account number does not end with 4321"),
    ]);
  });

  test("is refused without column names, when a quote is never closed, when it is empty or binary, and after a hundred errors", async () => {
    expect(await errorsOf("a,b\n1,2\n")).toEqual([expect.stringContaining("no row with the names of its columns")]);
    expect(await errorsOf('Date,Amount,Memo\n2026-01-01,1,"open\n')).toEqual([expect.stringContaining("quotation mark")]);
    expect(await errorsOf(" \n")).toEqual(["The file is empty."]);
    expect(await errorsOf(Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0]))).toEqual([expect.stringContaining("not a text file")]);
    expect(await errorsOf(`Date,Amount\n${"x,y\n".repeat(1_000)}`)).toHaveLength(100);
  });

  test("has a hundred thousand lines, and not one more", async () => {
    const csv = (count: number) => `Date,Amount\n${"2026-01-31,1.00\n".repeat(count)}`;
    expect((await read(csv(100_000))).lines).toHaveLength(100_000);
    expect(await errorsOf(csv(100_001))).toEqual([expect.stringContaining("more than 100000 lines")]);
  });

  test("has a hundred thousand rows of any kind, also of 0.00, without values and above the names of the columns", async () => {
    const tooLong = [expect.stringContaining("more than 100000 lines")];
    for (const row of ["1/1/26,0\n", ",\n"]) {
      expect(await errorsOf(`Title,\nDate,Amount\n${row.repeat(100_000)}`)).toEqual([]);
      expect(await errorsOf(`Title,\nDate,Amount\n${row.repeat(100_001)}`)).toEqual(tooLong);
    }
    expect(await errorsOf(`${",\n".repeat(100_001)}Date,Amount\n`)).toEqual(tooLong);
  });
});

/** Returns an OFX document of version 1, whose values have no end tags. */
const sgml = (transactions: string, { currency = "USD", account = "0099 4321" } = {}) => `OFXHEADER:100
DATA:OFXSGML
VERSION:102
ENCODING:USASCII
CHARSET:1252

<OFX>
<SIGNONMSGSRSV1><SONRS><DTSERVER>20260201<LANGUAGE>ENG</SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS><TRNUID>1<STMTRS><CURDEF>${currency}
<BANKACCTFROM><BANKID>021000021<ACCTID>${account}<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20260101<DTEND>20260131
${transactions}
</BANKTRANLIST>
<LEDGERBAL><BALAMT>2195.50<DTASOF>20260131120000[-5:EST]</LEDGERBAL>
<AVAILBAL><BALAMT>1.00<DTASOF>20260201</AVAILBAL>
</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`;
const transaction = (fitId: string, date: string, amount: string, rest = "") =>
  `<STMTTRN><TRNTYPE>OTHER<DTPOSTED>${date}<TRNAMT>${amount}<FITID>${fitId}\n${rest}</STMTTRN>`;

describe("an OFX statement", () => {
  test("of version 1 is read with its balance; an account that is paid is not mistaken for its own", async () => {
    const check = transaction(
      "A-1",
      "20260110120000[-5:EST]",
      "-300.00",
      "<CHECKNUM>1001<NAME>Smith &amp; Sons<MEMO>Check<BANKACCTTO><ACCTID>777<ACCTTYPE>CHECKING</BANKACCTTO>",
    );
    expect(await read(sgml(`${check}\n${transaction("A-2", "20260131", "+0,50", "<NAME>Interest")}`))).toEqual({
      format: "ofx",
      closingBalanceCents: 219_550,
      closingDate: "2026-01-31",
      lines: [
        { lineNumber: 12, date: "2026-01-10", amountCents: -30_000, description: "Smith & Sons Check", reference: "1001", bankTransactionId: "A-1" },
        { lineNumber: 14, date: "2026-01-31", amountCents: 50, description: "Interest", reference: null, bankTransactionId: "A-2" },
      ],
    });
  });

  test("of version 2 is XML", async () => {
    const xml = `<?xml version="1.0" encoding="UTF-8"?><?OFX OFXHEADER="200" VERSION="220"?><OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD</CURDEF>
      <BANKACCTFROM><BANKID>1</BANKID><ACCTID>4321</ACCTID></BANKACCTFROM><BANKTRANLIST><STMTTRN><TRNTYPE>CREDIT</TRNTYPE><DTPOSTED>20260106</DTPOSTED><TRNAMT>1500.00</TRNAMT>
      <FITID>1</FITID><PAYEE><NAME>Ren&#233;e &#x26; Co&#xD800;</NAME></PAYEE><MEMO>Rent</MEMO></STMTTRN></BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`;
    expect(await read(xml)).toMatchObject({
      closingBalanceCents: null,
      lines: [{ lineNumber: 2, amountCents: 150_000, description: "Renée & Co\uFFFD Rent" }],
    });
  });

  test("names each wrong line, another currency and another account", async () => {
    const wrong = [
      transaction("", "20260101", "1"),
      transaction("2", "20261301", "1"),
      transaction("3", "20260101", "1.005"),
      transaction("4", "20260101", "1", "<CURRENCY><CURRATE>1.1<CURSYM>CAD</CURRENCY>"),
    ];
    expect(await errorsOf(sgml(wrong.join("\n"), { currency: "EUR", account: "4322" }))).toEqual([
      expect.stringContaining("Line 9: The currency is EUR"),
      expect.stringContaining("Line 12: The transaction has no ID (FITID)"),
      expect.stringContaining("Line 14: The transaction has no valid date"),
      expect.stringContaining("Line 16: The transaction has no valid amount"),
      expect.stringContaining("Line 19: The currency is CAD"),
      expect.stringContaining("The account number of the file does not end with 4321"),
    ]);
  });

  test("is refused without a statement, with several, without an account number, and when it is cut off", async () => {
    expect(await errorsOf("OFXHEADER:100\n<OFX></OFX>")).toEqual([expect.stringContaining("no statement of a bank account")]);
    expect(await errorsOf(sgml("") + sgml(""))).toEqual([expect.stringContaining("several accounts")]);
    expect(await errorsOf(sgml("").replace("<ACCTID>0099 4321", ""))).toEqual([expect.stringContaining("no account number")]);
    const complete = sgml(transaction("1", "20260101", "1"));
    expect(await errorsOf(complete.slice(0, complete.indexOf("</STMTTRN>")))).toEqual([
      expect.stringContaining("Line 12: The file ends within this transaction"),
    ]);
    expect(await errorsOf(complete.slice(0, complete.indexOf("</BANKTRANLIST>")))).toEqual([
      expect.stringContaining("The file ends before the end of the statement"),
    ]);
  });

  test("expands no entities of its own", async () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]>${sgml(transaction("1", "20260101", "1", "<NAME>&a;&lt;b&gt;"))}`;
    expect((await read(bomb)).lines[0]).toMatchObject({ description: "&a;<b>" });
  });

  test("has a hundred thousand transactions, also of 0.00", async () => {
    const ofx = (count: number) => sgml("<STMTTRN><DTPOSTED>20260131<TRNAMT>0<FITID>1</STMTTRN>".repeat(count));
    expect(await errorsOf(ofx(100_000))).toEqual([]);
    expect(await errorsOf(ofx(100_001))).toEqual([expect.stringContaining("more than 100000 lines")]);
  });
});

describe("other requests are served while a large file is read", () => {
  /** Returns how many turns of the event loop the reading of a text takes. */
  async function countTurns(readText: typeof readCsvStatement, content: string): Promise<number> {
    let [turns, isDone] = [0, false];
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await readText(content, MASK).catch(() => undefined);
    isDone = true;
    return turns;
  }
  const rows = "<STMTTRN><DTPOSTED>20260105<TRNAMT>1.00<FITID>1<NAME>Rent</STMTTRN>".repeat(20_000);

  test.each([
    ["an OFX file of tags that mean nothing, on one line", readOfxStatement, `<OFX>${"<A>".repeat(400_000)}`],
    ["an OFX file of 20,000 transactions, on one line", readOfxStatement, `<OFX><STMTRS>${rows}</STMTRS></OFX>`],
    ["a CSV file of amounts of 0", readCsvStatement, `Date,Amount\n${"1/1/26,0\n".repeat(99_000)}`],
    ["a CSV file of empty lines", readCsvStatement, `Date,Amount\n${"\n".repeat(1_000_000)}`],
  ])("%s", async (_name, readText, content) => {
    expect(await countTurns(readText, content.slice(0, 1_000))).toBeLessThan(5);
    expect(await countTurns(readText, content)).toBeGreaterThan(20);
  });
});
