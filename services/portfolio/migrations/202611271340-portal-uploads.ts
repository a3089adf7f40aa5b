import { Migration } from "@mikro-orm/migrations";

const user = "current_setting('app.portal_user', true)";

const reads = `deleted_at is null and visibility = any(case portal_role() when 'tenant' then array['tenant_shared', 'tenant_vendor_shared']
    when 'owner' then array['owner_shared'] when 'vendor' then array['vendor_shared', 'tenant_vendor_shared'] end)
  and (portal_uploader_id is null or portal_uploader_id = portal_subject() or portal_uploader_role <> portal_role() or visibility = 'tenant_vendor_shared')
  and exists (select from portal_shared_records(${user}) reached where reached.entity_type = document.entity_type and reached.entity_id = document.entity_id
    and (reached.shared_before is null or document.shared_with_tenants_at < reached.shared_before))`;
const writes = `entity_type = 'work_order' and entity_id in (select portal_work_orders(${user})) and portal_uploader_id = portal_subject() and portal_uploader_role = portal_role()
  and uploaded_by_user_id = portal_user() and visibility = portal_role() || '_shared' and portal_role() in ('tenant', 'vendor')`;

/** Tenants and vendors upload documents to the work orders that they see. A tenant does not read those of other tenants, nor a vendor those of other vendors. */
export class PortalUploads extends Migration {
  override up(): void {
    this.addSql("alter table document add column portal_uploader_id uuid, add column portal_uploader_role text");
    this.addSql("create index document_by_portal_uploader on document (organization_id, portal_uploader_id) where portal_uploader_id is not null");
    this.addSql(`alter policy portal_reach on document using ((select is_office()) or (${reads})) with check ((select is_office()) or (${writes}))`);
  }
}
