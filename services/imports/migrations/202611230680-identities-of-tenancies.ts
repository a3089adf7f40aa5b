import { Migration } from "@mikro-orm/migrations";

const normalized = (text: string) =>
  `trim(regexp_replace(lower(regexp_replace(normalize(${text}, NFKD), '[\\u0300-\\u036f]', '', 'g')), '[^[:alnum:]]+', ' ', 'g'))`;

/** Statement that adds the tenant to the derived source ids of deposits and opening balances: the tenant of the lease in the same row, or of the row itself. */
export const addTenants = `update import_identity i set source_id = left(i.source_id || '/' || ${normalized("tenancy.tenant")}, 400)
  from (select c.organization_id, c.bundle_id, c.entity_type, c.source_id, coalesce(min(l.data ->> 'primary_tenant_name'), min(c.data ->> 'tenant_name')) as tenant
    from import_candidate c left join import_candidate l on l.organization_id = c.organization_id and l.bundle_id = c.bundle_id and l.file_id = c.file_id
      and l.row_number = c.row_number and l.entity_type = 'lease'
    where c.entity_type in ('deposit', 'opening_balance') and c.is_derived and c.merged_into_id is null and c.data ->> 'lease_source_id' is null
    group by c.organization_id, c.bundle_id, c.entity_type, c.source_id) tenancy
  where i.organization_id = tenancy.organization_id and i.bundle_id = tenancy.bundle_id and i.entity_type = tenancy.entity_type and i.source_id = tenancy.source_id
    and tenancy.tenant is not null`;

/** Adds the tenant to the identities of deposits and opening balances, so that a later import finds them by the id that it derives. */
export class IdentitiesOfTenancies extends Migration {
  override up(): void {
    for (const table of ["import_identity", "import_candidate"]) this.addSql(`alter table ${table} no force row level security`);
    this.addSql(addTenants);
    for (const table of ["import_identity", "import_candidate"]) this.addSql(`alter table ${table} force row level security`);
  }
}
