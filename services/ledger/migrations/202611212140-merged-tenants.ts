import { Migration } from "@mikro-orm/migrations";

/**
 * Adds the id of the surviving tenant to the tenant projection, null for a tenant that was not merged, and a trigger that copies a
 * change of a charge's tenant to its row of `open_charge`.
 */
export class MergedTenants extends Migration {
  override up(): void {
    this.addSql(`alter table tenant_copy add merged_into_id uuid;
      create index tenant_copy_merged on tenant_copy (organization_id, updated_at) where merged_into_id is not null;
      create index recurring_charge_by_tenant on recurring_charge_rule (organization_id, tenant_id)`);
    this.addSql(`create function move_open_charge() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      update open_charge set tenant_id = new.tenant_id where organization_id = new.organization_id and charge_id = new.id;
      return null;
    end $$;
    create trigger move_open_charge after update of tenant_id on charge for each row execute function move_open_charge()`);
  }
}
