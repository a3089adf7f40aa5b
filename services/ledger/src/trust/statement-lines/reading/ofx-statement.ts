/** Bank statements in OFX and QFX: SGML of versions 1, whose values have no end tags, and XML of versions 2. */
import { MAX_STATEMENT_LINES } from "@freehold/contract/trust/statement-lines";
import type { Cents } from "@freehold/contract/values";
import { setImmediate } from "node:timers/promises";
import { MAX_DESCRIPTION_LENGTH, MAX_REFERENCE_LENGTH, Problems, unreadable, type ReadLine, type ReadStatement } from "./statement.ts";
import { CURRENCY, hasMask, parseStatementAmount, parseStatementDate, singleSpaced } from "./statement-values.rules.ts";

const statements = new Set(["STMTRS", "CCSTMTRS"]);
/** Elements that contain others. Values of transactions are read inside these only, so that equal names elsewhere are not mixed up. */
const aggregates = new Set([
  ...statements,
  "STMTTRN",
  "BANKACCTFROM",
  "CCACCTFROM",
  "BANKACCTTO",
  "CCACCTTO",
  "LEDGERBAL",
  "CURRENCY",
  "ORIGCURRENCY",
  "PAYEE",
]);
/** Number of tags after which other requests are served. */
const TAGS_BETWEEN_YIELDS = 5_000;
/** Maximum number of tags, generous for the maximum number of transactions. */
const MAX_TAGS = 30 * MAX_STATEMENT_LINES;

const LINE_FEED = 10;

interface Element {
  name: string;
  isEnd: boolean;
  value: string;
  lineNumber: number;
}

/** Yields the tags of a text with the values that follow them. */
function* readElements(text: string): Generator<Element> {
  let [lineNumber, counted] = [1, 0];
  for (const match of text.matchAll(/<(\/?)([A-Za-z0-9_.]+)\s*>([^<]*)/g)) {
    for (; counted < match.index; counted++) if (text.charCodeAt(counted) === LINE_FEED) lineNumber += 1;
    yield { name: match[2]!.toUpperCase(), isEnd: match[1] === "/", value: decodeEntities(match[3]!.trim()), lineNumber };
  }
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
const MAX_CODE_POINT = 0x10_ff_ff;

/** Replaces named entities and numeric character references, such as `&#233;` and `&#xE9;`. */
const decodeEntities = (value: string): string =>
  value.replaceAll(/&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#[xX]([\da-fA-F]{1,6}));/g, (reference, name?: string, decimal?: string, hex?: string) => {
    if (name) return entities[name]!;
    const codePoint = decimal ? Number(decimal) : Number.parseInt(hex!, 16);
    return codePoint > 0 && codePoint <= MAX_CODE_POINT ? String.fromCodePoint(codePoint).toWellFormed() : reference;
  });

/** Statement in progress. */
interface Reading {
  lines: ReadLine[];
  problems: Problems;
  tags: number;
  transactions: number;
  statements: number;
  accountNumber: string | undefined;
  closing: Record<string, string>;
}

/** Transaction in progress: its values by name, and the line of its start. */
interface Transaction {
  values: Record<string, string>;
  lineNumber: number;
}

/** Reads a bank statement in OFX. Throws a 400 that names each wrong line. */
export async function readOfxStatement(text: string, accountMask: string): Promise<ReadStatement> {
  const reading: Reading = { lines: [], problems: new Problems(), tags: 0, transactions: 0, statements: 0, accountNumber: undefined, closing: {} };
  const { problems, lines } = reading;
  const open: string[] = [];
  let transaction: Transaction | undefined;
  for (const element of readElements(text)) {
    const { name, isEnd, lineNumber } = element;
    if (++reading.tags % TAGS_BETWEEN_YIELDS === 0) await setImmediate();
    if (isTooLong(reading)) break;
    if (aggregates.has(name)) {
      if (isEnd) open.splice(Math.max(0, open.lastIndexOf(name)));
      else open.push(name);
      if (statements.has(name)) reading.statements += isEnd ? 0 : 1;
      if (name !== "STMTTRN") continue;
      if (transaction) addTransaction(transaction, reading);
      transaction = isEnd ? undefined : { values: {}, lineNumber };
    } else if (!isEnd) readValue(element, open.at(-1), transaction, reading);
  }
  if (reading.statements === 0) throw unreadable("The file has no statement of a bank account (STMTRS). Download it as a bank statement.");
  if (reading.statements > 1) throw unreadable("The file has the statements of several accounts. Download the statement of one account.");
  if (isTooLong(reading)) problems.add({ code: "too_long", message: `The file has more than ${MAX_STATEMENT_LINES} lines. Split it.` });
  else if (transaction)
    problems.add({ lineNumber: transaction.lineNumber, code: "format", message: "The file ends within this transaction. Download it again." });
  else if (open.some((name) => statements.has(name)))
    problems.add({ code: "format", message: "The file ends before the end of the statement, so transactions may be missing. Download it again." });
  requireAccount(reading, accountMask);
  problems.throwIfAny();
  return { format: "ofx", lines, ...closingOf(reading.closing) };
}

/** Returns true for more transactions than a statement may have, also of 0.00, or more tags than these need. */
const isTooLong = ({ tags, transactions }: Reading): boolean => transactions > MAX_STATEMENT_LINES || tags > MAX_TAGS;

function readValue({ name, value, lineNumber }: Element, aggregate: string | undefined, transaction: Transaction | undefined, reading: Reading): void {
  if (aggregate === "STMTTRN" && transaction) transaction.values[name] ??= value;
  if (aggregate === "PAYEE" && transaction && name === "NAME") transaction.values[name] ??= value;
  if (aggregate === "LEDGERBAL") reading.closing[name] = value;
  if ((aggregate === "BANKACCTFROM" || aggregate === "CCACCTFROM") && name === "ACCTID") reading.accountNumber ??= value;
  const isCurrency = name === "CURDEF" || (aggregate === "CURRENCY" && name === "CURSYM");
  if (isCurrency && value.toUpperCase() !== CURRENCY)
    reading.problems.add({ lineNumber, code: "mismatch", message: `The currency is ${singleSpaced(value, 40)}, and the account is kept in ${CURRENCY}.` });
}

function requireAccount({ accountNumber, problems }: Reading, accountMask: string): void {
  if (accountNumber === undefined) problems.add({ code: "required", message: "The file names no account number (ACCTID), so it may be of another account." });
  else if (!hasMask(accountNumber, accountMask))
    problems.add({ code: "mismatch", message: `The account number of the file does not end with ${accountMask}. It is the statement of another account.` });
}

/** Adds the line of a transaction, or its problems. A transaction of 0.00 has no line. */
function addTransaction({ values, lineNumber }: Transaction, reading: Reading): void {
  const { lines, problems } = reading;
  reading.transactions += 1;
  const { FITID, DTPOSTED = "", TRNAMT = "", NAME = "", MEMO = "", CHECKNUM, REFNUM } = values;
  const date = parseStatementDate(DTPOSTED.slice(0, 8));
  const amountCents = parseOfxAmount(TRNAMT);
  if (!FITID) problems.add({ lineNumber, code: "required", message: "The transaction has no ID (FITID)." });
  if (date === undefined)
    problems.add({ lineNumber, code: "format", message: `The transaction has no valid date (DTPOSTED): "${singleSpaced(DTPOSTED, 40)}".` });
  if (amountCents === undefined)
    problems.add({ lineNumber, code: "format", message: `The transaction has no valid amount (TRNAMT): "${singleSpaced(TRNAMT, 40)}".` });
  if (!FITID || date === undefined || !amountCents) return;
  const reference = singleSpaced(CHECKNUM || REFNUM || "", MAX_REFERENCE_LENGTH);
  const description = singleSpaced(NAME === MEMO ? NAME : `${NAME} ${MEMO}`, MAX_DESCRIPTION_LENGTH);
  const bankTransactionId = singleSpaced(FITID, MAX_REFERENCE_LENGTH);
  lines.push({ lineNumber, date, amountCents, description, reference: reference === "" ? null : reference, bankTransactionId });
}

/** Parses an amount, whose decimal separator may be a comma. */
const parseOfxAmount = (text: string): Cents | undefined => parseStatementAmount(text.replace(/,(?=\d{1,2}$)/, "."));

function closingOf({ BALAMT = "", DTASOF = "" }: Record<string, string>): Pick<ReadStatement, "closingBalanceCents" | "closingDate"> {
  const [closingBalanceCents, closingDate] = [parseOfxAmount(BALAMT), parseStatementDate(DTASOF.slice(0, 8))];
  return closingBalanceCents === undefined || closingDate === undefined
    ? { closingBalanceCents: null, closingDate: null }
    : { closingBalanceCents, closingDate };
}
