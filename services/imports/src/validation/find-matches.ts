/** Search for the existing record of each candidate: by the identities of the namespace, and by matching in portfolio. */
import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { MatchCriteria } from "@freehold/proto/portfolio/v1/portfolio";
import type { Clients } from "../clients.ts";
import { parsePhones } from "../parsing/contact.ts";
import { isProblem } from "../parsing/parsed.ts";
import type { CandidateRow, Links } from "./candidates.queries.ts";
import type { FieldValues } from "./draft.ts";
import { entityName } from "./entity.rules.ts";
import { comparableFields, type Match, scoreMatch } from "./match.rules.ts";

/** Record that an earlier import wrote for a source id, with the fields of its row. */
export interface KnownIdentity {
  sourceId: string;
  entityId: string;
  data: FieldValues;
  /** Record on which a charge, a payment or an expense is posted; null if it is not known. */
  subjectId?: string | null;
}

/** Returns the identities of the source ids in a namespace. */
export async function findIdentities(
  db: StatementRunner,
  namespace: string,
  entityType: ImportEntityType,
  sourceIds: readonly string[],
): Promise<Map<string, KnownIdentity>> {
  const rows = await db.all(sql<KnownIdentity>`select source_id, entity_id, data, subject_id from import_identity
    where organization_id = ${db.organizationId} and namespace = ${namespace} and entity_type = ${entityType} and source_id = any(${[...sourceIds]})
      and not is_deleted`);
  return new Map(rows.map((row) => [row.sourceId, row]));
}

/** Types whose records of earlier imports are read, because their present state rules out some changes. */
const knownByIdTypes: ReadonlySet<ImportEntityType> = new Set(["lease", "work_order", "unit"]);

/**
 * Returns the matches of candidates of one type by candidate id, with one call to portfolio. Types that portfolio does not match have none. A lease,
 * a work order or a unit of an earlier import is among the matches, also a lease with another unit or start date, so that its present state is known.
 */
export async function findMatches(
  db: OrgDb,
  clients: Clients,
  namespace: string,
  entityType: ImportEntityType,
  rows: readonly CandidateRow[],
): Promise<Map<string, Match[]>> {
  const isComparable = comparableFields[entityType] !== undefined;
  const isKnownById = knownByIdTypes.has(entityType);
  if ((!isComparable && !isKnownById) || rows.length === 0) return new Map();
  const chosenRecords = await findChosenRecords(db, rows);
  const sourceIds = rows.map(({ sourceId }) => sourceId);
  const identities = isKnownById ? await findIdentities(db, namespace, entityType, sourceIds) : new Map<string, KnownIdentity>();
  const known = rows.flatMap(({ id: key, sourceId }) => (identities.has(sourceId) ? [{ key, id: identities.get(sourceId)!.entityId }] : []));
  const criteria = [...known, ...(isComparable ? rows.flatMap((row) => matchCriteriaOf(row, chosenRecords) ?? []) : [])];
  const { matches } = criteria.length > 0 ? await clients.portfolio.findMatches(db, { kind: entityType, criteria }) : { matches: [] };
  const money = entityType === "lease" ? await findMoney(db, clients, matches) : new Map<string, FieldValues>();
  const keyedMatches = matches.map(({ key, id, name, reasons, fields }) => ({
    key,
    match: { entityId: id, displayName: name, score: scoreMatch(entityType, reasons), reasons, fields: { ...withNormalizedPhone(fields), ...money.get(id) } },
  }));
  return new Map([...Map.groupBy(keyedMatches, ({ key }) => key)].map(([key, group]) => [key, group.map(({ match }) => match)]));
}

/** Returns the field `money` of each lease that has not begun and has money in the ledger: `posted` for charges and payments, otherwise `deposit`. */
async function findMoney(db: OrgDb, clients: Clients, leases: readonly { id: string; fields: FieldValues }[]): Promise<Map<string, FieldValues>> {
  const leaseIds = [...new Set(leases.filter(({ fields }) => fields["status"] === "draft" || fields["status"] === "pending").map(({ id }) => id))];
  if (leaseIds.length === 0) return new Map();
  const balances = (await clients.ledger.getLeaseBalances(db, { leaseIds })).leases;
  return new Map(
    balances.flatMap(({ leaseId, hasUnreversedEntries, usedDepositId }): [string, FieldValues][] => {
      const money = hasUnreversedEntries ? "posted" : usedDepositId !== undefined ? "deposit" : undefined;
      return money ? [[leaseId, { money }]] : [];
    }),
  );
}

/** Converts the phone number of a record, which may be stored as entered, to the format of candidates. */
function withNormalizedPhone(fields: FieldValues): FieldValues {
  const phone = fields["phone"] === undefined ? undefined : parsePhones(fields["phone"]);
  return phone === undefined || isProblem(phone) ? fields : { ...fields, phone: phone.value };
}

/** Returns the chosen records of the candidates to which the rows refer, by candidate id. */
export async function findChosenRecords(db: StatementRunner, rows: readonly CandidateRow[]): Promise<Map<string, string>> {
  const ids = rows.flatMap(({ links }) => Object.values(links).flatMap((link) => ("candidateId" in link ? [link.candidateId] : [])));
  if (ids.length === 0) return new Map();
  const chosen = await db.all(sql<{ id: string; entityId: string }>`select id, chosen_entity_id as entity_id from import_candidate
    where organization_id = ${db.organizationId} and id = any(${[...new Set(ids)]}::uuid[]) and chosen_entity_id is not null`);
  return new Map(chosen.map(({ id, entityId }) => [id, entityId]));
}

/** Returns the id of the record to which a link leads, if it exists. */
export const recordOf = (link: Links[string] | undefined, chosenRecords: ReadonlyMap<string, string>): string | undefined =>
  link && ("entityId" in link ? link.entityId : chosenRecords.get(link.candidateId));

/** Returns the match criteria of a candidate, or undefined for a unit of a new property and a lease of a new unit, which match no record. */
export function matchCriteriaOf({ id, entityType, data, links }: CandidateRow, chosenRecords: ReadonlyMap<string, string>): MatchCriteria | undefined {
  const toCriteria = (criteria: Record<string, string | undefined>): MatchCriteria => ({
    key: id,
    ...Object.fromEntries(Object.entries(criteria).filter(([, value]) => value !== undefined)),
  });
  if (entityType === "unit") {
    const propertyId = recordOf(links["property"], chosenRecords);
    return propertyId === undefined ? undefined : toCriteria({ propertyId, unitNumber: data["unit_number"] });
  }
  if (entityType === "lease") {
    const unitId = recordOf(links["unit"], chosenRecords);
    return unitId === undefined || data["start_date"] === undefined ? undefined : toCriteria({ unitId, startDate: data["start_date"] });
  }
  return toCriteria({ name: entityName(data) || undefined, email: data["email"], streetLine1: data["street_line1"], postalCode: data["postal_code"] });
}
