import { rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Adds encrypted tax ids of owners and vendors, insurances of vendors, and ownership shares of properties. */
export class PeopleAndOwnership extends Migration {
  override up(): void {
    for (const table of ["owner", "vendor"])
      this.addSql(`alter table ${table} add tax_id_type text, add tax_id_last4 text, add tax_id_sealed bytea,
        add constraint ${table}_tax_id_is_whole check (num_nonnulls(tax_id_type, tax_id_last4, tax_id_sealed) in (0, 3))`);
    this.addSql(`create table vendor_insurance (
      organization_id uuid not null,
      vendor_id uuid not null,
      position int not null,
      kind text not null,
      provider text not null,
      policy_number text not null,
      expires_on date not null,
      document_id uuid,
      primary key (organization_id, vendor_id, position),
      constraint vendor_insurance_is_a_vendors foreign key (organization_id, vendor_id) references vendor (organization_id, id)
    );
    create index vendor_insurance_by_expiry on vendor_insurance (organization_id, expires_on);
    ${rowLevelSecuritySql("vendor_insurance")}`);
    this.addSql(`create table property_share (
      organization_id uuid not null,
      property_id uuid not null,
      effective_date date not null,
      owner_id uuid not null,
      share_bps int not null,
      position int not null,
      applied_at timestamptz(3),
      primary key (organization_id, property_id, effective_date, owner_id),
      constraint property_share_of_a_property foreign key (organization_id, property_id) references property (organization_id, id),
      constraint property_share_of_an_owner foreign key (organization_id, owner_id) references owner (organization_id, id),
      constraint property_share_is_a_part check (share_bps between 1 and 10000)
    );
    create index property_share_by_owner on property_share (organization_id, owner_id);
    create index property_share_to_come on property_share (organization_id, effective_date) where applied_at is null;
    ${rowLevelSecuritySql("property_share")}`);
  }
}
