import { Migration } from "@mikro-orm/migrations";

/** Marks the projected tenants that were deleted, for whom no payment is recorded. */
export class DeletedTenants extends Migration {
  override up(): void {
    this.addSql(`alter table tenant_copy add is_deleted boolean not null default false`);
  }
}
