/** Columns and row-level security that all tables of organizations share. */
import { ArrayType, EntitySchema, p, type EntityClass, type PolicyDef } from "@mikro-orm/core";
import type { Cents } from "@freehold/contract/values";
import { randomUUIDv7 } from "node:crypto";
import { now } from "../time/clock.ts";
import { sql, type RawBuilder } from "./statement.ts";

export { defineEntity, p } from "@mikro-orm/core";

/** Returns a new id, a UUID version 7: ids sort by creation time. */
export const newId = (): string => randomUUIDv7();

/**
 * Columns of every row of an organization. The primary key is (organization_id, id), so that foreign keys include the organization
 * and cannot refer to another one.
 */
export const orgColumns = {
  organizationId: p.uuid().primary(),
  id: p.uuid().primary().onCreate(newId),
  createdAt: p.datetime(3).onCreate(now),
  updatedAt: p.datetime(3).onCreate(now).onUpdate(now),
  version: p.integer().version(),
};

const officeCondition = "organization_id = (select office_organization())";
const policy: PolicyDef = { name: "own_organization", using: officeCondition, check: officeCondition };

/** Organization filter and row-level security policy of an entity that portal users do not reach, to be spread into `defineEntity`. */
export const inOrganization = {
  filters: { organization: { name: "organization", cond: (args: { organizationId: string }) => ({ organizationId: args.organizationId }), default: true } },
  policies: [policy],
  rowLevelSecurity: "force" as const,
};

/** Like `inOrganization`, for an entity that portal users reach: the conditions of `portal_reach` and `portal_deletes` are in its migration. */
export const inPortalReach = {
  ...inOrganization,
  policies: [
    policy,
    { name: "portal_reach", type: "restrictive", using: "(select is_office())", check: "(select is_office())" },
    { name: "portal_deletes", type: "restrictive", command: "delete", using: "(select is_office())" },
  ] satisfies PolicyDef[],
};

/** Returns the SQL that enables row-level security on a table, for its migration. Portal users reach nothing of it without `portalReachSql`. */
export const rowLevelSecuritySql = (table: string): string => `
  alter table ${table} enable row level security;
  alter table ${table} force row level security;
  create policy own_organization on ${table} using (${officeCondition}) with check (${officeCondition});`;

/**
 * SQL condition of the organizations that a batch reads and writes. Its policy applies to the owner of the table alone, so that only a function that
 * runs as the owner (`security definer`) sees several organizations: those that it was called for.
 */
const batchCondition = "organization_id::text = any((select string_to_array(current_setting('app.batch_organizations', true), ','))::text[])";
const batchPolicy: PolicyDef = { name: "organizations_of_batch", roles: ["current_user"], using: batchCondition, check: batchCondition };

/** Like `inOrganization`, for an entity whose rows functions of the table's owner read and write for several organizations at once. */
export const inOrganizationBatches = { ...inOrganization, policies: [policy, batchPolicy] };

/** Like `inOrganizationBatches`, for an entity that portal users reach. */
export const inPortalReachBatches = { ...inPortalReach, policies: [...inPortalReach.policies, batchPolicy] };

/** Returns the SQL that admits the owner of a table to the organizations of a batch, for its migration. */
export const batchPolicySql = (table: string): string => `
  create policy organizations_of_batch on ${table} to current_user using (${batchCondition}) with check (${batchCondition});`;

/** SQL of `orgColumns`, for migrations. */
export const orgColumnsSql = `
  organization_id uuid not null,
  id uuid not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  version int not null default 1,
  primary key (organization_id, id)`;

/** Array of texts as a PostgreSQL literal with every element quoted: an unquoted `null` would become NULL, and JSON escapes are not valid in array literals. */
class TextArrayType extends ArrayType {
  override convertToDatabaseValue(texts: string[]): string {
    return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
  }
}
/** Column type `text[]` of arbitrary texts. */
export const textArray = () => p.type(TextArrayType).$type<string[]>();

export const cents = () => p.bigint("number").$type<Cents>();
export const plainDate = () => p.date();
/** Text column typed by the given values. Only a check constraint in the migration enforces them. */
export const enumText = <const V extends readonly string[]>(_values: V) => p.text().$type<V[number]>();

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const metadataColumns = new Set(["createdAt", "updatedAt", "version"]);

/**
 * Returns the select list of an entity's columns under a table alias, so that its rows have the members of the entity.
 * Members in `omit` are left out, such as encrypted columns. `id` comes first, the times and the version last.
 */
export function columnsOf<E extends object>(entity: EntityClass<E>, alias: string, omit: readonly (keyof E & string)[] = []): RawBuilder<unknown> {
  const { properties } = EntitySchema.REGISTRY.get(entity)!.meta;
  const selected = Object.entries(properties as Record<string, { name?: string }>).filter(([member]) => !omit.includes(member as keyof E & string));
  const ordered = [
    ...selected.filter(([member]) => member === "id"),
    ...selected.filter(([member]) => member !== "id" && !metadataColumns.has(member)),
    ...selected.filter(([member]) => metadataColumns.has(member)),
  ];
  return sql.join(ordered.map(([member, { name }]) => sql.ref(`${alias}.${name ?? snakeCase(member)}`)));
}
