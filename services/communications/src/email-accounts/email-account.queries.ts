/** SQL statements on e-mail accounts, and their API representation. */
import type { EmailAccount as EmailAccountView, emailAccounts } from "@freehold/contract/communications/email-accounts";
import type { QueryOf } from "@freehold/contract/operation";
import { columnsOf } from "@freehold/kit/db/entity";
import { listConditions, listPage, type Page } from "@freehold/kit/db/list";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { notFound, preconditionFailed } from "@freehold/kit/errors";
import { withVersion } from "@freehold/kit/http/etag";
import { containsPattern } from "@freehold/kit/like-pattern";
import { EmailAccount, hiddenColumns } from "./email-account.entity.ts";

type Row = EmailAccountView & { version: number };

const columns = columnsOf(EmailAccount, "a", hiddenColumns);

export const emailAccountView = ({ version, ...row }: Row): EmailAccountView => withVersion(row, version);

/** Returns an account. Throws 404 for an unknown or deleted one. */
export async function getEmailAccountView(db: StatementRunner, id: string, { includeDeleted = false } = {}): Promise<EmailAccountView> {
  const row = await db.first(sql<Row>`select ${columns} from email_account a where a.organization_id = ${db.organizationId} and a.id = ${id}
    and (${includeDeleted} or a.deleted_at is null)`);
  if (!row) throw notFound("E-mail account");
  return emailAccountView(row);
}

/** Returns a page of accounts. */
export const listEmailAccountRows = (db: OrgDb, query: QueryOf<typeof emailAccounts.operations.listEmailAccounts>): Promise<Page<Row>> =>
  listPage<Row>(db, query, {
    select: columns,
    from: sql`email_account a`,
    where: [
      ...listConditions(db, "a", query),
      query.search !== undefined && sql`(a.address ilike ${containsPattern(query.search)} or a.display_name ilike ${containsPattern(query.search)})`,
      query.kind !== undefined && sql`a.kind = any(${query.kind})`,
      query.status !== undefined && sql`a.status = any(${query.status})`,
    ],
    sorts: { address: sql`a.address`, createdAt: sql`a.created_at` },
    table: "a",
  });

/** Throws 412 unless an account is verified. */
export function requireVerified({ status }: Pick<EmailAccountView, "status">): void {
  if (status !== "verified") throw preconditionFailed("The e-mail account is not verified. Verify it first.", "email_account_not_verified");
}
