/** Audience of a blast: the tenants of its target, and the channels that reach each. */
import type { Blast as BlastView } from "@freehold/contract/communications/blasts";
import type { FieldError } from "@freehold/contract/errors";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid } from "@freehold/kit/errors";
import type { Clients } from "../clients.ts";
import { loadContacts } from "../recipients/contacts.ts";
import { findContactRefusals } from "../recipients/eligibility.ts";
import { addressOf, type Contact, type Refusal } from "../recipients/eligibility.rules.ts";
import type { BlastChannel } from "./blast.entity.ts";
import { languageOf } from "./blast.rules.ts";

export type Target = BlastView["target"];

/** Tenants whose channels are determined at once. */
export const AUDIENCE_LOT = 500;

const loadTenants = (db: OrgDb, clients: Clients, ids: readonly string[]): Promise<Map<string, Contact<"tenant">>> =>
  loadContacts(
    db,
    clients,
    ids.map((id) => ({ type: "tenant", id })),
  );

const nothingDescribed: BlastView["targetSummary"] = { properties: [], tenants: [], units: [] };

/**
 * Returns the names of a target. Throws 400 that names an empty target, and each unknown or deleted property, unit and tenant, except those of an earlier
 * description, which keep their names: records of a stored target may have been deleted.
 */
export async function describeTarget(
  db: OrgDb,
  clients: Clients,
  { propertyIds, unitIds, tenantIds }: Target,
  described = nothingDescribed,
): Promise<BlastView["targetSummary"]> {
  if (propertyIds.length + unitIds.length + tenantIds.length === 0)
    throw invalid([
      { path: "target", code: "required", message: "The target is empty. Name properties, units or tenants; for everybody, name all properties." },
    ]);
  const [{ units }, contacts] = await Promise.all([clients.portfolio.getUnits(db, { ids: unitIds }), loadTenants(db, clients, tenantIds)]);
  const { properties } = await clients.portfolio.getProperties(db, { ids: [...new Set([...propertyIds, ...units.map(({ propertyId }) => propertyId)])] });
  const liveProperties = new Map(properties.flatMap(({ id, name, isDeleted }) => (isDeleted ? [] : [[id, name] as const])));
  const labels = {
    propertyIds: liveProperties,
    unitIds: new Map(
      units.flatMap(({ id, propertyId, unitNumber, isDeleted }) =>
        isDeleted ? [] : [[id, [liveProperties.get(propertyId), unitNumber].filter(Boolean).join(" ")] as const],
      ),
    ),
    tenantIds: new Map([...contacts.values()].flatMap(({ id, fullName, isDeleted }) => (isDeleted ? [] : [[id, fullName] as const]))),
  };
  const earlierLabels = new Map(Object.values(described).flatMap((records) => records.map(({ id, label }) => [id, label] as const)));
  const named = (member: keyof Target, ids: readonly string[]) =>
    ids.map((id, index) => ({ id, label: labels[member].get(id) ?? earlierLabels.get(id), path: `target.${member}.${index}` }));
  const all = { properties: named("propertyIds", propertyIds), units: named("unitIds", unitIds), tenants: named("tenantIds", tenantIds) };
  const errors = Object.values(all).flatMap((entries) =>
    entries.flatMap(({ label, path }): FieldError[] =>
      label === undefined ? [{ path, code: "not_found", message: `There is no such record. Check ${path}.` }] : [],
    ),
  );
  if (errors.length > 0) throw invalid(errors);
  const labelled = (entries: (typeof all)["units"]) => entries.map(({ id, label }) => ({ id, label: label! }));
  return { properties: labelled(all.properties), tenants: labelled(all.tenants), units: labelled(all.units) };
}

/** Tenants of a target. */
export interface Addressees {
  /** Each once. */
  tenantIds: string[];
  /** Those of them who get nothing: minors who live there, unless they are named. */
  minorIds: ReadonlySet<string>;
}

/** Returns the tenants of a target: the named ones, for merged ones the surviving tenants, and the residents of today. */
export async function resolveTarget(db: OrgDb, clients: Clients, { propertyIds, unitIds, tenantIds }: Target): Promise<Addressees> {
  const [residents, contacts] = await Promise.all([clients.portfolio.listResidents(db, { propertyIds, unitIds }), loadTenants(db, clients, tenantIds)]);
  const named = new Set(tenantIds.map((id) => contacts.get(id)?.mergedIntoId ?? id));
  const minorIds = new Set(residents.minorIds.filter((id) => !named.has(id)));
  return { tenantIds: [...new Set([...named, ...residents.tenantIds, ...minorIds])], minorIds };
}

/** Reason why a channel does not reach a tenant. A message to an address that another tenant of the blast has is sent once. */
export type SkipReason = Refusal | "no_user" | "minor" | "duplicate_address";

/** Tenant of the audience with the channels of the blast: null for a channel that reaches the tenant, else the reason. */
export interface AudienceMember {
  contact: Contact;
  language: string;
  channels: { channel: BlastChannel; skipReason: SkipReason | null }[];
}

/** Returns the tenants with the channels that reach them. A tenant without a portal user is not reached in the portal, and a minor on no channel. */
export async function findAudience(
  db: OrgDb,
  clients: Clients,
  { tenantIds, minorIds = new Set() }: { tenantIds: readonly string[]; minorIds?: ReadonlySet<string> },
  channels: readonly BlastChannel[],
): Promise<AudienceMember[]> {
  const contacts = await loadTenants(db, clients, tenantIds);
  const requests = [...contacts.values()].flatMap((contact) => channels.map((channel) => ({ contact, channel, template: "blast" })));
  const refusals = await findContactRefusals(db, requests);
  const reasons = requests.map(({ contact, channel }, index) => ({
    contact,
    channel,
    skipReason: minorIds.has(contact.id)
      ? ("minor" as const)
      : (refusals[index] ?? (channel === "in_app" && contact.userIds.length === 0 ? ("no_user" as const) : null)),
  }));
  return [...Map.groupBy(reasons, ({ contact }) => contact)].map(([contact, entries]) => ({
    contact,
    language: languageOf(contact.language),
    channels: entries.map(({ channel, skipReason }) => ({ channel, skipReason })),
  }));
}

/**
 * Returns the audience with each address once on a channel: the message to it reaches all tenants who have it. Adds the addresses to `taken`, which has
 * those of the tenants before.
 */
export function withDistinctAddresses(audience: readonly AudienceMember[], taken: Set<string>): AudienceMember[] {
  return audience.map(({ contact, channels, ...member }) => ({
    ...member,
    contact,
    channels: channels.map(({ channel, skipReason }) => {
      const address = addressOf(contact, channel);
      if (skipReason !== null || address === null) return { channel, skipReason };
      const key = `${channel} ${address.toLowerCase()}`;
      const isTaken = taken.has(key);
      taken.add(key);
      return { channel, skipReason: isTaken ? ("duplicate_address" as const) : null };
    }),
  }));
}

/** Counts of an audience. */
export interface AudienceCounts {
  recipientCount: number;
  skippedUnlinkedTenantCount: number;
  languageCounts: Record<string, number>;
}

/** Returns the counts of an audience. A tenant whom no channel reaches is skipped; one with the address of another is reached. */
export function countAudience(audience: readonly AudienceMember[]): AudienceCounts {
  const reached = audience.filter(({ channels }) => channels.some(({ skipReason }) => skipReason === null || skipReason === "duplicate_address"));
  const byLanguage = [...Map.groupBy(reached, ({ language }) => language)].map(([language, tenants]) => [language, tenants.length] as const);
  return {
    recipientCount: reached.length,
    skippedUnlinkedTenantCount: audience.length - reached.length,
    languageCounts: Object.fromEntries(byLanguage.toSorted(([a], [b]) => a.localeCompare(b))),
  };
}
