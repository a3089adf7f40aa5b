import { Migration } from "@mikro-orm/migrations";

const user = "current_setting('app.portal_user', true)";

const isOwnConversation = "entity_type = 'conversation' and portal_uploader_id = portal_subject() and portal_uploader_role = portal_role()";
const reads = `deleted_at is null and visibility = any(case portal_role() when 'tenant' then array['tenant_shared', 'tenant_vendor_shared']
    when 'owner' then array['owner_shared'] when 'vendor' then array['vendor_shared', 'tenant_vendor_shared'] end)
  and (portal_uploader_id is null or portal_uploader_id = portal_subject() or portal_uploader_role <> portal_role() or visibility = 'tenant_vendor_shared')
  and (${isOwnConversation} or exists (select from portal_shared_records(${user}) reached where reached.entity_type = document.entity_type and reached.entity_id = document.entity_id
    and (reached.shared_before is null or document.shared_with_tenants_at < reached.shared_before)))`;
const writes = `(entity_type = 'conversation' or entity_type = 'work_order' and entity_id in (select portal_work_orders(${user})))
  and portal_uploader_id = portal_subject() and portal_uploader_role = portal_role()
  and uploaded_by_user_id = portal_user() and visibility = portal_role() || '_shared' and portal_role() in ('tenant', 'vendor')`;

/**
 * Tenants and vendors upload documents to their conversations, and read those that they have uploaded. Which conversations are theirs,
 * communications decides before the upload.
 */
export class ConversationUploads extends Migration {
  override up(): void {
    this.addSql(`alter policy portal_reach on document using ((select is_office()) or (${reads})) with check ((select is_office()) or (${writes}))`);
  }
}
