import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Ledger settings (table `book`), the chart of accounts, and the projections of tenants, properties, units and leases. */
export class LedgerTables extends Migration {
  override up(): void {
    this.addSql(`create table book (${orgColumnsSql},
      timezone text not null,
      default_basis text not null,
      policies jsonb not null,
      constraint book_is_the_organizations check (id = organization_id)
    ); ${rowLevelSecuritySql("book")}`);
    this.addSql(`create table category (${orgColumnsSql},
      code text not null,
      name text not null,
      account_type text not null,
      normal_balance text not null,
      subtype text not null,
      is_bank boolean not null,
      is_trust_liability boolean not null
    );
    create unique index category_code_once on category (organization_id, code);
    ${rowLevelSecuritySql("category")}`);
    this.addSql(`create table tenant_copy (${orgColumnsSql}, full_name text not null); ${rowLevelSecuritySql("tenant_copy")}`);
    this.addSql(
      `create table property_copy (${orgColumnsSql}, name text not null, city text not null, state text not null); ${rowLevelSecuritySql("property_copy")}`,
    );
    this.addSql(`create table unit_copy (${orgColumnsSql}, property_id uuid not null, unit_number text); ${rowLevelSecuritySql("unit_copy")}`);
    this.addSql(`create table lease_copy (${orgColumnsSql},
      property_id uuid not null,
      unit_id uuid not null,
      tenant_id uuid not null,
      payer_ids uuid[] not null,
      status text not null,
      start_date date not null,
      end_date date,
      billing_started_at timestamptz(3),
      billing_ended_at timestamptz(3)
    );
    ${rowLevelSecuritySql("lease_copy")}`);
  }
}
