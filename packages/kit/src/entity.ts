/** What every table has: an organization first, and the walls around it. */
import { ArrayType, p, type PolicyDef } from "@mikro-orm/core";
import type { Cents } from "@freehold/contract/values";
import { randomUUIDv7 } from "node:crypto";
import { now } from "./clock.ts";

export { defineEntity, p } from "@mikro-orm/core";

export const newId = (): string => randomUUIDv7();

/** Columns of every row of an organization. The key is (organization_id, id): no reference can leave the organization. */
export const orgColumns = {
  organizationId: p.uuid().primary(),
  id: p.uuid().primary().onCreate(newId),
  createdAt: p.datetime(3).onCreate(now),
  updatedAt: p.datetime(3).onCreate(now).onUpdate(now),
  version: p.integer().version(),
};

const policy: PolicyDef = {
  name: "own_organization",
  using: "organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid)",
  check: "organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid)",
};

/** Spread into `defineEntity`: the ORM adds the organization to every statement, and the database checks it again. */
export const inOrganization = {
  filters: { organization: { name: "organization", cond: (args: { organizationId: string }) => ({ organizationId: args.organizationId }), default: true } },
  policies: [policy],
  rowLevelSecurity: "force" as const,
};

/** The same walls, in the words of a migration. */
export const wall = (table: string): string => `
  alter table ${table} enable row level security;
  alter table ${table} force row level security;
  create policy own_organization on ${table}
    using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid))
    with check (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));`;

/** The columns of `orgColumns`, in the words of a migration. */
export const orgColumnsSql = `
  organization_id uuid not null,
  id uuid not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  version int not null default 1,
  primary key (organization_id, id)`;

/** PostgreSQL reads a bare `null` in an array as no text at all and knows none of JSON's escapes, so every text is quoted in its own way. */
class Texts extends ArrayType {
  override convertToDatabaseValue(texts: string[]): string {
    return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
  }
}
/** A list of texts that anybody may write, kept to the letter. */
export const texts = () => p.type(Texts).$type<string[]>();

export const cents = () => p.bigint("number").$type<Cents>();
export const plainDate = () => p.date();
export const oneOf = <const V extends readonly string[]>(_values: V) => p.text().$type<V[number]>();
