/** What the rows of a file belong to, found among the records that are there. */
import type { FieldError } from "@freehold/contract/errors";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import type { Clients } from "../../clients.ts";
import type { CandidateRow } from "../../validation/candidates.queries.ts";
import type { Data } from "../../validation/draft.ts";
import type { Match } from "../../validation/match.rules.ts";
import { askPortfolio, isUuid, readKept, type Found } from "./fetch-records.ts";
import type { Bulk, RowEntityType } from "../bulk-import.rules.ts";
import { recordsByIds } from "./identities.queries.ts";
import { leaseOf, payerOn } from "./select-lease.rules.ts";
import { naturalIdOf } from "./natural-key.rules.ts";

export interface LinkedRow {
  id: string;
  links: Record<string, string>;
  linkErrors: FieldError[];
  naturalKey: string | null;
  sourceId: string;
}

interface Open {
  row: CandidateRow;
  links: Record<string, string>;
  errors: FieldError[];
}

/** What a row says of another record: the field, and the text in it. */
interface Said {
  path: string;
  text: string;
}
const saidIn = (data: Data, ...fields: readonly string[]): Said | undefined => {
  const path = fields.find((field) => data[field] !== undefined);
  return path === undefined ? undefined : { path, text: data[path]! };
};
const saidOf: Partial<Record<string, (data: Data) => Said | undefined>> = {
  property: (data) => saidIn(data, "property_source_id", "property_name"),
  vendor: (data) => saidIn(data, "vendor_source_id", "vendor_name"),
  tenant: (data) => saidIn(data, "tenant_source_id", "primary_tenant_source_id", "tenant_name", "primary_tenant_name"),
  unit: (data) => saidIn(data, "unit_source_id"),
  lease: (data) => saidIn(data, "lease_source_id"),
};

const notThere = (what: string, { path, text }: Said): FieldError => ({
  path,
  code: "not_found",
  message: `There is no ${what} "${text}". Add it first, or mend what the row says.`,
});
const plural = (what: string): string => what.replace(/y$/, "ie").concat("s");
const several = (what: string, { path, text }: Said, hint: string): FieldError => ({
  path,
  code: "not_found",
  message: `Several ${plural(what)} fit "${text}". Say which by ${hint}.`,
});

/** What can be meant by these texts, each an id of ours, one that an earlier file gave, a name or an address. */
async function lookUp(db: OrgDb, ask: Clients, kind: RowEntityType, texts: readonly string[]): Promise<Found> {
  const wanted = [...new Set(texts)];
  const ids = await recordsByIds(db, kind, wanted);
  const sought = wanted.flatMap((text) => [
    ...(ids.get(text) ?? []).map((id) => ({ key: text, id })),
    isUuid(text) ? { key: text, id: text } : text.includes("@") ? { key: text, email: text.toLowerCase() } : { key: text, name: text },
  ]);
  return askPortfolio(db, ask, kind, sought);
}

/** Of what can be meant what is meant: in a column of ids an id, elsewhere a name, as far as there is one. */
function meant(found: Found, { path, text }: Said): Match[] {
  const matches = found.get(text) ?? [];
  const byId = matches.filter(({ reasons }) => reasons.includes("id"));
  const byName = matches.filter(({ reasons }) => reasons.some((reason) => reason !== "id"));
  const [first, other] = path.endsWith("source_id") ? [byId, byName] : [byName, byId];
  return first.length > 0 ? first : other;
}

/** Looks up what rows say of one kind, and links those that mean one record. */
async function linkKind(db: OrgDb, ask: Clients, kind: RowEntityType, rows: readonly Open[], hint: string): Promise<void> {
  const asking = rows.flatMap((open) => {
    const said = saidOf[kind]!(open.row.data);
    return said ? [{ open, said }] : [];
  });
  if (asking.length === 0) return;
  const found = await lookUp(
    db,
    ask,
    kind,
    asking.map(({ said }) => said.text),
  );
  for (const { open, said } of asking) {
    const matches = meant(found, said);
    if (matches.length === 1) open.links[kind] = matches[0]!.entityId;
    else open.errors.push(matches.length > 1 ? several(kind, said, hint) : notThere(kind, said));
  }
}

/** Units that are named by their number, in the property of the row. */
async function linkUnits(db: OrgDb, ask: Clients, rows: readonly Open[]): Promise<void> {
  const asking = rows.flatMap((open) => {
    const { unit_number: text, unit_source_id: id } = open.row.data;
    return text === undefined || id !== undefined ? [] : [{ open, text, propertyId: open.links["property"] }];
  });
  const sought = asking.flatMap(({ text, propertyId }) => (propertyId === undefined ? [] : [{ key: `${propertyId}/${text}`, propertyId, unitNumber: text }]));
  const found = await askPortfolio(db, ask, "unit", [...new Map(sought.map((each) => [each.key, each])).values()]);
  for (const { open, text, propertyId } of asking) {
    const said = { path: "unit_number", text };
    const matches = found.get(`${propertyId}/${text}`) ?? [];
    if (matches.length === 1) open.links["unit"] = matches[0]!.entityId;
    else if (matches.length > 1) open.errors.push(several("unit", said, "its id"));
    else if (propertyId !== undefined) open.errors.push(notThere("unit", said));
    else if (saidOf["property"]!(open.row.data) === undefined)
      open.errors.push({
        path: "property_name",
        code: "required",
        message: "A unit's number means something in its property only: property_name is needed beside it.",
      });
  }
}

/** The lease of each row: the one it names, or one of its unit by the day and the tenant. */
async function linkLeases(db: OrgDb, ask: Clients, rows: readonly Open[]): Promise<void> {
  const tenants = await lookUp(
    db,
    ask,
    "tenant",
    rows.flatMap(({ row }) => saidOf["tenant"]!(row.data)?.text ?? []),
  );
  const named = await lookUp(
    db,
    ask,
    "lease",
    rows.flatMap(({ row }) => saidOf["lease"]!(row.data)?.text ?? []),
  );
  const units = [...new Set(rows.flatMap(({ links }) => links["unit"] ?? []))];
  const inUnits = await askPortfolio(
    db,
    ask,
    "lease",
    units.map((unitId) => ({ key: unitId, unitId })),
  );
  for (const open of rows) {
    const { data } = open.row;
    const [lease, tenant] = [saidOf["lease"]!(data), saidOf["tenant"]!(data)];
    const people = tenant && meant(tenants, tenant);
    if (tenant && people!.length === 0) open.errors.push(notThere("tenant", tenant));
    else {
      const possible: readonly Match[] = lease ? meant(named, lease) : (inUnits.get(open.links["unit"] ?? "") ?? []);
      if (!lease && open.links["unit"] === undefined) continue;
      const said = lease ?? { path: "unit_number", text: data["unit_number"]! };
      const found = leaseOf(possible, {
        day: data["date"] ?? data["received_date"] ?? data["start_date"],
        tenants: people?.map(({ entityId }) => entityId),
        said,
      });
      if ("code" in found) open.errors.push(found);
      else {
        open.links["lease"] = found.entityId;
        const payer = payerOn(
          found,
          people?.map(({ entityId }) => entityId),
        );
        if (payer !== undefined) open.links["tenant"] = payer;
      }
    }
  }
}

/** The charges that payments are for. */
async function linkCharges(db: OrgDb, ask: Clients, bulk: Bulk, rows: readonly Open[]): Promise<void> {
  const asking = rows.flatMap((open) => {
    const said = saidIn(open.row.data, "applied_to_charge_source_id");
    return said ? [{ open, said }] : [];
  });
  if (asking.length === 0) return;
  const known = await recordsByIds(
    db,
    "charge",
    asking.map(({ said }) => said.text),
  );
  const idsOf = (text: string) => known.get(text) ?? (isUuid(text) ? [text.toLowerCase()] : []);
  const read = await readKept(
    db,
    ask,
    bulk,
    "charge",
    asking.flatMap(({ said }) => idsOf(said.text)),
  );
  for (const { open, said } of asking) {
    const there = idsOf(said.text).filter((id) => read.has(id));
    if (there.length === 1) open.links["charge"] = there[0]!;
    else open.errors.push(there.length > 1 ? several("charge", said, "its id") : notThere("charge", said));
  }
}

const ofLeases = ["charge", "payment", "recurring_charge"] as const;

/** Finds what each row belongs to; asks once for each kind, however many rows there are. */
export async function linkToRecords(db: OrgDb, ask: Clients, bulk: Bulk, rows: readonly CandidateRow[]): Promise<LinkedRow[]> {
  const open = rows.map((row): Open => ({ row, links: {}, errors: [] }));
  const type = rows[0]?.entityType;
  const isIn = (...types: readonly (string | undefined)[]) => types.includes(type);
  if (isIn("unit", "lease", "work_order", ...ofLeases)) await linkKind(db, ask, "property", open, "its id");
  if (isIn("work_order")) await linkKind(db, ask, "vendor", open, "its id");
  if (isIn("lease", "work_order")) await linkKind(db, ask, "unit", open, "its id");
  if (isIn("lease", "work_order", ...ofLeases)) await linkUnits(db, ask, open);
  if (isIn("lease")) await linkKind(db, ask, "tenant", open, "the e-mail address or the id");
  if (isIn(...ofLeases)) await linkLeases(db, ask, open);
  if (isIn("payment")) await linkCharges(db, ask, bulk, open);
  return open.map(({ row, links, errors }) => {
    const natural = errors.length > 0 ? null : naturalIdOf(row.entityType, row.data, links);
    return { id: row.id, links, linkErrors: errors, naturalKey: natural, sourceId: row.isDerived && natural !== null ? natural : row.sourceId };
  });
}

/** Keeps what was found, and the ids that rows without one have by it. */
export async function keepReferences(tx: OrgTx, bundleId: string, linked: readonly LinkedRow[]): Promise<void> {
  if (linked.length === 0) return;
  const rows = linked.map(({ id, links, linkErrors, naturalKey, sourceId }) => ({
    id,
    links: Object.fromEntries(Object.entries(links).map(([name, entityId]) => [name, { entityId }])),
    link_errors: linkErrors,
    natural_key: naturalKey,
    source_id: sourceId,
  }));
  await tx.all(sql`update import_candidate c set links = given.links, link_errors = given.link_errors, natural_key = given.natural_key, source_id = given.source_id
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (id uuid, links jsonb, link_errors jsonb, natural_key text, source_id text)
    where c.organization_id = ${tx.organizationId} and c.bundle_id = ${bundleId} and c.id = given.id`);
}
