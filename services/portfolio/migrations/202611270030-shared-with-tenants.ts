import { Migration } from "@mikro-orm/migrations";

/**
 * Time since which the tenants concerned can read a note or document. A released tenant keeps what was shared before the release.
 * Rows from before this column count as shared at their last change.
 */
export class SharedWithTenants extends Migration {
  override up(): void {
    for (const table of ["note", "document"]) {
      this.addSql(`alter table ${table} add column shared_with_tenants_at timestamptz(3) default now();
        alter table ${table} no force row level security, disable trigger user;
        update ${table} set shared_with_tenants_at = updated_at;
        alter table ${table} enable trigger user, force row level security, alter column shared_with_tenants_at set not null`);
    }
  }
}
