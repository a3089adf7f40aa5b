/** Lines of bank statements: list, upload, and delete an upload. */
import {
  MAX_RETURNED_LINES,
  type StatementLine as LineView,
  type statementLines,
  type StatementUpload as UploadView,
} from "@freehold/contract/trust/statement-lines";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, notFound } from "@freehold/kit/errors";
import { withVersion } from "@freehold/kit/http/etag";
import type { Received } from "@freehold/kit/http/multipart";
import { now } from "@freehold/kit/time/clock";
import { newSortedIds } from "../../ids.ts";
import { requireActive } from "../bank-accounts/bank-account-references.ts";
import { getBankAccount } from "../bank-accounts/bank-accounts.ts";
import { withKeys, type KeyedLine } from "./line-key.rules.ts";
import { readStatement } from "./reading/read-statement.ts";
import { singleSpaced } from "./reading/statement-values.rules.ts";
import { StatementUpload } from "./statement-line.entity.ts";

type Operations = typeof statementLines.operations;
const publish = eventPublisher("ledger");

const isMatched = sql`exists (select from reconciliation_item i where i.organization_id = s.organization_id and i.statement_line_id = s.id and i.is_live)`;
const lineColumns = sql`s.id, s.organization_id, s.bank_account_id, s.upload_id, s.line_number, s.posted_on as date, s.amount_cents, s.description, s.reference,
  s.bank_transaction_id, ${isMatched} as is_matched, s.created_at, s.updated_at`;

/** Returns a page of the statement lines of a bank account. Throws 404 for an unknown one. */
export async function listStatementLines(db: OrgDb, bankAccountId: string, query: QueryOf<Operations["listStatementLines"]>) {
  await getBankAccount(db, bankAccountId);
  const { search, uploadId, isMatched: matched, dateAfter, dateBefore } = query;
  const { rows, paging } = await listPage<LineView>(db, query, {
    table: "s",
    select: lineColumns,
    from: sql`bank_statement_line s`,
    sorts: { date: sql`s.posted_on`, amountCents: sql`s.amount_cents`, createdAt: sql`s.created_at` },
    where: [
      ...listConditions(db, "s", query, false),
      sql`s.bank_account_id = ${bankAccountId}`,
      search !== undefined && sql`position(lower(${search}) in lower(concat_ws(' ', s.description, s.reference))) > 0`,
      uploadId !== undefined && sql`s.upload_id = ${uploadId}`,
      matched !== undefined && sql`${isMatched} = ${matched}`,
      dateAfter !== undefined && sql`s.posted_on >= ${dateAfter}`,
      dateBefore !== undefined && sql`s.posted_on <= ${dateBefore}`,
    ],
  });
  return { statementLines: rows, ...paging };
}

async function getStatementUpload(db: StatementRunner, id: string): Promise<UploadView> {
  const row = await db.first(sql<UploadView & { version: number }>`select id, organization_id, bank_account_id, file_name, format, line_count, added_count,
      line_count - added_count as repeated_count, closing_balance_cents, closing_date, created_at, updated_at, deleted_at, version
    from bank_statement_upload where organization_id = ${db.organizationId} and id = ${id}`);
  if (!row) throw notFound("Upload");
  const { version, ...view } = row;
  return withVersion(view, version);
}

/** Number of lines that one statement inserts. */
const BATCH_SIZE = 5_000;
const MAX_NAME_LENGTH = 200;

/**
 * Adds the lines of a bank statement that no earlier upload has added. Throws 404 for an unknown bank account, and a 400 for a file
 * that cannot be read, or is of another account or currency.
 */
export async function uploadStatementLines(
  db: OrgDb,
  bankAccountId: string,
  { file }: Received<BodyOf<Operations["uploadStatementLines"]>>,
): Promise<Output<Operations["uploadStatementLines"]>> {
  const account = await getBankAccount(db, bankAccountId);
  requireActive(account);
  const { lines, ...statement } = await readStatement(file.path, account.accountMask);
  const keyed = withKeys(lines);
  const fileName = singleSpaced(file.name.replaceAll("\0", "").split(/[\\/]/).at(-1)!.toWellFormed(), MAX_NAME_LENGTH) || "statement";
  return transaction(db, async (tx) => {
    // Uploads of an account follow each other, so that two of the same lines do not wait for each other in turn.
    await tx.all(sql`select pg_advisory_xact_lock(hashtextextended(${bankAccountId}, 1))`);
    const upload = tx.create(StatementUpload, { id: newId(), bankAccountId, fileName, ...statement, lineCount: lines.length, addedCount: 0, deletedAt: null });
    await tx.flush();
    let addedCount = 0;
    for (let start = 0; start < keyed.length; start += BATCH_SIZE) addedCount += await insertLines(tx, upload, keyed.slice(start, start + BATCH_SIZE));
    await tx.all(sql`update bank_statement_upload set added_count = ${addedCount} where organization_id = ${tx.organizationId} and id = ${upload.id}`);
    const added =
      await tx.all(sql<LineView>`select ${lineColumns} from bank_statement_line s where s.organization_id = ${tx.organizationId} and s.upload_id = ${upload.id}
      order by s.id limit ${MAX_RETURNED_LINES}`);
    await publish(tx, "bank_statement.uploaded", { entityId: upload.id, data: { bankAccountId, addedCount } });
    return { statementUpload: await getStatementUpload(tx, upload.id), statementLines: added };
  });
}

/** Inserts the lines that are new, and returns their number. */
async function insertLines(tx: OrgTx, { id, bankAccountId }: StatementUpload, lines: readonly KeyedLine[]): Promise<number> {
  const ids = newSortedIds(lines.length);
  const rows = lines.map(({ lineNumber, date, amountCents, description, reference, bankTransactionId, key }, index) => ({
    id: ids[index],
    line_number: lineNumber,
    posted_on: date,
    amount_cents: amountCents,
    description,
    reference,
    bank_transaction_id: bankTransactionId,
    key,
  }));
  const inserted =
    await tx.all(sql`insert into bank_statement_line (organization_id, id, created_at, updated_at, bank_account_id, upload_id, line_number, posted_on, amount_cents,
      description, reference, bank_transaction_id, line_key)
    select ${tx.organizationId}, id, ${now()}, ${now()}, ${bankAccountId}::uuid, ${id}::uuid, line_number, posted_on, amount_cents, description, reference, bank_transaction_id, decode(key, 'hex')
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as input (id uuid, line_number int, posted_on date, amount_cents bigint, description text, reference text,
      bank_transaction_id text, key text)
    on conflict (organization_id, bank_account_id, line_key) do nothing returning id`);
  return inserted.length;
}

/** Deletes the lines of an upload. Throws 404 for an unknown or deleted upload, and a 409 while a reconciliation has matched one of them. */
export const deleteStatementUpload = (db: OrgDb, bankAccountId: string, id: string): Promise<{ statementUpload: UploadView }> =>
  transaction(db, async (tx) => {
    const upload = await tx.getForUpdate(StatementUpload, id, "Upload", { bankAccountId, deletedAt: null });
    const lines = sql`bank_statement_line s where s.organization_id = ${tx.organizationId} and s.upload_id = ${id}`;
    // A reconciliation that matches a line meanwhile waits for the lock, and then has none to match.
    await tx.all(sql`select from ${lines} for update`);
    const matched = await tx.first(sql<{ lineNumber: number }>`select s.line_number from ${lines} and ${isMatched} order by s.line_number limit 1`);
    if (matched) {
      const message = `A reconciliation has matched line ${matched.lineNumber} of the file. Unclear its transactions, or void the reconciliation, first.`;
      throw conflict(message, "resource_in_use");
    }
    await tx.all(sql`delete from ${lines}`);
    tx.assign(upload, { deletedAt: now() });
    await publish(tx, "bank_statement.deleted", { entityId: id, data: { bankAccountId, addedCount: upload.addedCount } });
    return { statementUpload: await getStatementUpload(tx, id) };
  });
