/** Which record each candidate is already: what the namespace remembers, and what the owning service has that could be it. */
import type { ImportEntityType } from "@freehold/contract/import-bundles";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { MatchCriteria } from "@freehold/proto/portfolio/v1/portfolio";
import type { Clients } from "../clients.ts";
import { parsePhones } from "../parsing/contact.ts";
import { isProblem } from "../parsing/parsed.ts";
import type { CandidateRow, Links } from "./candidates.queries.ts";
import type { Data } from "./draft.ts";
import { nameOf } from "./entity.rules.ts";
import { comparableFields, scoreOf, type Match } from "./match.rules.ts";

/** What an earlier import made of a source id, and what the row said then. */
export interface Earlier {
  sourceId: string;
  entityId: string;
  data: Data;
}

/** What the namespace remembers of these ids. */
export async function findEarlier(
  db: StatementRunner,
  namespace: string,
  entityType: ImportEntityType,
  sourceIds: readonly string[],
): Promise<Map<string, Earlier>> {
  const known = await db.all(sql<Earlier>`select source_id, entity_id, data from import_identity
    where organization_id = ${db.organizationId} and namespace = ${namespace} and entity_type = ${entityType} and source_id = any(${[...sourceIds]})`);
  return new Map(known.map((each) => [each.sourceId, each]));
}

/** The records that each candidate could be, by its id: asked of portfolio in one question, before a transaction. What it keeps none of has none. */
export async function findMatches(db: OrgDb, ask: Clients, entityType: ImportEntityType, rows: readonly CandidateRow[]): Promise<Map<string, Match[]>> {
  if (!comparableFields[entityType] || rows.length === 0) return new Map();
  const records = await recordsOf(db, rows);
  const criteria = rows.flatMap((row) => soughtOf(row, records) ?? []);
  const { matches } = criteria.length > 0 ? await ask.portfolio.findMatches(db, { kind: entityType, criteria }) : { matches: [] };
  const found = matches.map(({ key, id, name, reasons, fields }) => ({
    key,
    match: { entityId: id, displayName: name, score: scoreOf(entityType, reasons), reasons, fields: asRowsSay(fields) },
  }));
  return new Map([...Map.groupBy(found, ({ key }) => key)].map(([key, all]) => [key, all.map(({ match }) => match)]));
}

/** A record may have a phone number as somebody typed it; rows have it in one way only. */
function asRowsSay(fields: Data): Data {
  const phone = fields["phone"] === undefined ? undefined : parsePhones(fields["phone"]);
  return phone === undefined || isProblem(phone) ? fields : { ...fields, phone: phone.value };
}

/** The records that candidates were found to be, by the candidate's id. */
async function recordsOf(db: StatementRunner, rows: readonly CandidateRow[]): Promise<Map<string, string>> {
  const ids = rows.flatMap(({ links }) => Object.values(links).flatMap((link) => ("candidateId" in link ? [link.candidateId] : [])));
  if (ids.length === 0) return new Map();
  const chosen = await db.all(sql<{ id: string; entityId: string }>`select id, chosen_entity_id as entity_id from import_candidate
    where organization_id = ${db.organizationId} and id = any(${[...new Set(ids)]}::uuid[]) and chosen_entity_id is not null`);
  return new Map(chosen.map(({ id, entityId }) => [id, entityId]));
}

const recordOf = (link: Links[string] | undefined, records: ReadonlyMap<string, string>): string | undefined =>
  link && ("entityId" in link ? link.entityId : records.get(link.candidateId));

/** By what a candidate is criteria; a unit of a new property and a lease in a new unit are new. */
export function soughtOf({ id, entityType, data, links }: CandidateRow, records: ReadonlyMap<string, string>): MatchCriteria | undefined {
  const said = (criteria: Record<string, string | undefined>): MatchCriteria => ({
    key: id,
    ...Object.fromEntries(Object.entries(criteria).filter(([, value]) => value !== undefined)),
  });
  if (entityType === "unit") {
    const propertyId = recordOf(links["property"], records);
    return propertyId === undefined ? undefined : said({ propertyId, unitNumber: data["unit_number"] });
  }
  if (entityType === "lease") {
    const unitId = recordOf(links["unit"], records);
    return unitId === undefined || data["start_date"] === undefined ? undefined : said({ unitId, startDate: data["start_date"] });
  }
  return said({ name: nameOf(data) || undefined, email: data["email"], streetLine1: data["street_line1"], postalCode: data["postal_code"] });
}
