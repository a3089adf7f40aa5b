/**
 * Organizations by the addresses and ids of their messages, which the database maintains. The table belongs to no organization, since the
 * organization of a received event is looked up in it.
 */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";

/**
 * Key of an organization's message or correspondent: `id:` with the id of a message, `sid:` with that of the provider, `email:` or `sms:`
 * with an address; or of its own address, `inbound:` with that of an e-mail account.
 */
export type RouteKey = `${"id" | "sid" | "email" | "sms" | "inbound"}:${string}`;

/** Maximum number of organizations that an event concerns. */
const MAX_ORGANIZATIONS = 50;

/** Returns the ids of the organizations with one of the keys, those of earlier keys first. */
export async function findOrganizations(db: StatementRunner, keys: readonly RouteKey[]): Promise<string[]> {
  const rows = await db.all(sql<{ organizationId: string }>`select organization_id from message_route where key = any(${[...keys]}::text[])
    group by organization_id order by min(array_position(${[...keys]}::text[], key)), organization_id limit ${MAX_ORGANIZATIONS}`);
  return rows.map(({ organizationId }) => organizationId);
}

/** Adds the inbound address of an e-mail account of the organization. */
export const addInboundAddress = (tx: StatementRunner, address: string): Promise<unknown> =>
  tx.all(sql`insert into message_route (key, organization_id) values (${`inbound:${address}`}, ${tx.organizationId}) on conflict do nothing`);

/** Removes the inbound address of a deleted e-mail account. */
export const removeInboundAddress = (tx: StatementRunner, address: string): Promise<unknown> =>
  tx.all(sql`delete from message_route where key = ${`inbound:${address}`} and organization_id = ${tx.organizationId}`);

/** Returns the time of the latest message of the organization that left for an address, or undefined. */
export async function findLatestMessageAt(db: StatementRunner, address: string): Promise<string | undefined> {
  const row = await db.first(sql<{ at: string | null }>`select max(created_at) as at from message
    where organization_id = ${db.organizationId} and lower(to_address) = lower(${address}) and status in ('sent', 'delivered', 'unconfirmed')`);
  return row?.at ?? undefined;
}

/** Returns the only organization that has sent messages; undefined when there are several. */
export async function findOnlyOrganization(db: StatementRunner): Promise<string | undefined> {
  const row = await db.first(sql<{ first: string | null; last: string | null }>`select
    (select organization_id from message_route order by organization_id limit 1) as first,
    (select organization_id from message_route order by organization_id desc limit 1) as last`);
  return row && row.first !== null && row.first === row.last ? row.first : undefined;
}
