/** Statements of owners: generate, read and list. */
import type { OwnerStatement as View, ownerStatements } from "@freehold/contract/trust/owner-statements";
import type { BodyOf, QueryOf } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { invalid, notFound } from "@freehold/kit/errors";
import { withVersion } from "@freehold/kit/http/etag";
import { today } from "@freehold/kit/time/clock";
import type { Clients } from "../../clients.ts";
import { readReport } from "../../reporting/ledger-version.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { findOwnedProperties, requireOwner } from "../owned-properties.ts";
import { shareTerms } from "../ownership.rules.ts";
import { OwnerStatement } from "./owner-statement.entity.ts";
import { configuredDelivery, issueStatement } from "./issue-statement.ts";
import { propertyStatement, sumStatements, type StatementFigures } from "./owner-statement.rules.ts";
import { selectStatementMovements } from "./statement-movements.queries.ts";

type Operations = typeof ownerStatements.operations;
type Body = BodyOf<Operations["createOwnerStatement"]>;
type Row = Omit<View, keyof StatementFigures | "documentId"> & { figures: StatementFigures; version: number };
type SummaryRow = Omit<Row, "properties">;

const MAX_ENTRIES = 5_000;
const columns = sql`s.id, s.organization_id, s.owner_id, s.organization_name, s.owner_name, s.period_start, s.period_end, s.basis, s.ledger_version, s.figures, s.sent_at, s.created_at, s.updated_at, s.version`;

/** Returns a statement. Throws 404 for an unknown id. */
export async function getOwnerStatement(db: StatementRunner, id: string): Promise<View> {
  const row = await db.first(sql<Row>`select ${columns}, s.properties from owner_statement s where s.organization_id = ${db.organizationId} and s.id = ${id}`);
  if (!row) throw notFound("Owner statement");
  const { figures, version, properties, ...statement } = row;
  return withVersion({ ...statement, ...noDocument, ...figureDefaults, ...figures, properties: properties.map(storedProperty) }, version);
}

/** The PDF is rendered from the statement, and stored nowhere. */
const noDocument = { documentId: null };

/** Members that statements stored by an earlier version do not have. */
const figureDefaults = { additionalReserveCents: 0 as View["additionalReserveCents"] };
const propertyDefaults = { ...figureDefaults, additionalReserveNote: null };
const entryDefaults = { vendorName: null };

/** Returns a property of a stored statement; one stored by an earlier version has no additional reserve, and no names of vendors. */
const storedProperty = (property: View["properties"][number]): View["properties"][number] => ({
  ...propertyDefaults,
  ...property,
  entries: property.entries.map((entry) => ({ ...entryDefaults, ...entry })),
});

/** Returns a page of the statements of an owner, without their properties. Throws 404 for an unknown owner. */
export async function listOwnerStatements(db: OrgDb, clients: Clients, ownerId: string, query: QueryOf<Operations["listOwnerStatements"]>) {
  await requireOwner(db, clients, ownerId);
  const { periodAfter, periodBefore } = query;
  const { rows, paging } = await listPage<SummaryRow>(db, query, {
    table: "s",
    select: columns,
    from: sql`owner_statement s`,
    sorts: { periodEnd: sql`s.period_end`, createdAt: sql`s.created_at` },
    where: [
      ...listConditions(db, "s", query, false),
      sql`s.owner_id = ${ownerId}`,
      periodAfter !== undefined && sql`s.period_end >= ${periodAfter}`,
      periodBefore !== undefined && sql`s.period_end <= ${periodBefore}`,
    ],
  });
  return {
    ownerStatements: rows.map(({ figures, version, ...row }) => withVersion({ ...row, ...noDocument, ...figureDefaults, ...figures }, version)),
    ...paging,
  };
}

/** Generates and stores a statement of an owner, and issues it by the owner's `statementDeliver`. Throws 404 for an unknown owner, and a 400 for a period that has not ended or has too many entries. */
export async function createOwnerStatement(db: OrgDb, clients: Clients, ownerId: string, body: Body): Promise<{ ownerStatement: View }> {
  const [{ timezone }, { name: organizationName }, owner, owned] = await Promise.all([
    getLedgerSettings(db),
    clients.identity.getOrganization(db, {}),
    requireOwner(db, clients, ownerId),
    findOwnedProperties(db, clients, [ownerId]),
  ]);
  requirePeriod(body, today(timezone));
  const terms = owned.flatMap(shareTerms);
  const { rows, ledgerVersion } = await readReport(db, undefined, (version) =>
    selectStatementMovements(db, terms, { ...body, ownerId, ledgerVersion: version }),
  );
  if (rows.length > MAX_ENTRIES)
    throw invalid([{ path: "periodStart", code: "max", message: `A statement has at most ${MAX_ENTRIES} entries. Choose a later date.` }]);
  const movements = Map.groupBy(rows, ({ propertyId }) => propertyId);
  const properties = owned.flatMap(({ propertyId, propertyName, reserveCents = 0, additionalReserveCents = 0, additionalReserveNote = null }) => {
    const ofProperty = movements.get(propertyId);
    return ofProperty ? [propertyStatement({ propertyId, propertyName, reserveCents, additionalReserveCents, additionalReserveNote }, ofProperty)] : [];
  });
  const id = newId();
  return transaction(db, async (tx) => {
    const names = { organizationName, ownerName: owner.fullName };
    const figures = sumStatements(properties);
    const statement = tx.create(OwnerStatement, { id, ownerId, ...names, ...body, ledgerVersion, figures, properties, sentAt: null });
    await issueStatement(tx, statement, configuredDelivery(owner));
    await tx.flush();
    return { ownerStatement: await getOwnerStatement(tx, id) };
  });
}

function requirePeriod({ periodStart, periodEnd }: Body, day: string): void {
  if (periodEnd < periodStart) throw invalid([{ path: "periodEnd", code: "before_start", message: "periodEnd cannot be before periodStart." }]);
  if (periodEnd > day)
    throw invalid([{ path: "periodEnd", code: "not_allowed", message: "The period has not ended. Set periodEnd to today or an earlier day." }]);
}
