/** Contacts of tenants, vendors and owners, and the residents of properties and units, for messages to them. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { today } from "@freehold/kit/time/clock";
import { sql, type RawBuilder } from "@freehold/kit/db/statement";
import { instantInJson } from "../db/json.queries.ts";
import { isMinorOccupant, occupancyCondition } from "../leases/residence.queries.ts";
import type {
  Contact,
  FindContactsRequest,
  FindOrganizationsByPhoneRequest,
  GetContactsRequest,
  ListResidentsRequest,
  Residents,
} from "@freehold/proto/portfolio/v1/portfolio";

interface ContactRow {
  contact: Contact;
  isSelfReported: boolean;
}

const tenantContact = sql`json_strip_nulls(json_build_object('id', id, 'kind', 'tenant', 'fullName', full_name, 'email', email, 'phone', phone,
  'alternatePhone', alternate_phone, 'language', preferred_language, 'isDeleted', deleted_at is not null, 'mergedIntoId', merged_into_id,
  'smsConsent', case when sms_consent_at is not null then json_build_object('isGranted', sms_consent_granted,
    'decidedAt', ${instantInJson("sms_consent_at")}) end))`;
const vendorContact = sql`json_strip_nulls(json_build_object('id', id, 'kind', 'vendor', 'fullName', name, 'email', email, 'phone', phone,
  'language', 'en', 'isDeleted', deleted_at is not null))`;
const ownerContact = sql`json_strip_nulls(json_build_object('id', id, 'kind', 'owner', 'fullName', full_name, 'email', email, 'phone', phone,
  'language', 'en', 'isDeleted', deleted_at is not null))`;

/** Reads contacts of tenants and vendors; `isSelfReported` is the condition that a vendor has entered the address that is looked up. */
const readContacts = (
  db: StatementRunner,
  tenantCondition: RawBuilder<unknown>,
  vendorCondition: RawBuilder<unknown>,
  isSelfReported: RawBuilder<unknown> = sql`false`,
): Promise<ContactRow[]> =>
  db.all(sql<ContactRow>`select ${tenantContact} as contact, false as is_self_reported from tenant where organization_id = ${db.organizationId} and ${tenantCondition}
    union all select ${vendorContact}, ${isSelfReported} from vendor where organization_id = ${db.organizationId} and ${vendorCondition}`);

/** Returns the contacts of tenants, vendors and owners, including deleted ones. */
export async function findContactMessages(db: StatementRunner, { tenantIds, vendorIds, ownerIds }: GetContactsRequest): Promise<Contact[]> {
  const others = await readContacts(db, sql`id = any(${tenantIds}::uuid[])`, sql`id = any(${vendorIds}::uuid[])`);
  const owners =
    ownerIds.length === 0
      ? []
      : await db.all(
          sql<
            Pick<ContactRow, "contact">
          >`select ${ownerContact} as contact from owner where organization_id = ${db.organizationId} and id = any(${ownerIds}::uuid[])`,
        );
  return [...others, ...owners].map(({ contact }) => contact);
}

/**
 * Returns the tenants and vendors with an e-mail address, in any case, or a phone number, without deleted ones. Vendors' numbers are compared by
 * digits. Leaves out vendors who entered the address themselves if the office recorded it for someone else: otherwise a vendor could enter a
 * tenant's address and receive that tenant's messages.
 */
export async function findContactMessagesByAddress(db: StatementRunner, { email, phone }: FindContactsRequest): Promise<Contact[]> {
  const [address, digits] = [email?.toLowerCase() ?? null, phone?.replace(/\D/g, "").slice(-10) ?? null];
  const hasAddress = sql`deleted_at is null and (lower(email) = ${address} or right(regexp_replace(phone, '\\D', '', 'g'), 10) = ${digits})`;
  const rows = await readContacts(
    db,
    sql`deleted_at is null and (same_email = ${address} or phone = ${phone ?? null})`,
    hasAddress,
    address === null ? sql`is_phone_self_reported` : sql`is_email_self_reported`,
  );
  const recorded = rows.filter(({ isSelfReported }) => !isSelfReported);
  const isRecorded =
    recorded.length > 0 || (rows.length > 0 && (await db.first(sql`select from owner where organization_id = ${db.organizationId} and ${hasAddress}`)));
  return (isRecorded ? recorded : rows).map(({ contact }) => contact);
}

/** Maximum number of organizations that a STOP is delivered to. */
const MAX_ORGANIZATIONS = 1_000;

/** Returns the organizations, of all, in which a tenant, vendor or owner has or had a phone number in E.164. Numbers are compared by digits. */
export async function findOrganizationsByPhone(db: StatementRunner, { phone }: FindOrganizationsByPhoneRequest): Promise<string[]> {
  const rows = await db.all(sql<{ id: string }>`select organization_id as id from contact_phone
    where digits = right(regexp_replace(${phone}, '\\D', '', 'g'), 10) order by 1 limit ${MAX_ORGANIZATIONS}`);
  return rows.map(({ id }) => id);
}

/** Returns the ids of the tenants who live today in properties and units, each once, those who are under age apart. */
export async function findResidents(db: StatementRunner, { propertyIds, unitIds }: ListResidentsRequest): Promise<Residents> {
  const day = today(db.principal.timezone);
  const rows = await db.all(sql<{ id: string; isMinor: boolean }>`select c.tenant_id as id, bool_and(${isMinorOccupant(day)}) as is_minor
    from lease l join lease_occupant c on c.organization_id = l.organization_id and c.lease_id = l.id
    join tenant t on t.organization_id = c.organization_id and t.id = c.tenant_id and t.deleted_at is null
    where l.organization_id = ${db.organizationId} and (l.property_id = any(${propertyIds}::uuid[]) or l.unit_id = any(${unitIds}::uuid[]))
      and ${occupancyCondition(day)} group by 1 order by 1`);
  const idsOf = (minors: boolean) => rows.flatMap(({ id, isMinor }) => (isMinor === minors ? id : []));
  return { tenantIds: idsOf(false), minorIds: idsOf(true) };
}
