import { Migration } from "@mikro-orm/migrations";

const user = "current_setting('app.portal_user', true)";

const isOwnConversation = `entity_type = 'conversation' and (portal_uploader_id = portal_subject() and portal_uploader_role = portal_role()
    or participant_id = portal_subject() and participant_role = portal_role())`;
const reads = `deleted_at is null and visibility = any(case portal_role() when 'tenant' then array['tenant_shared', 'tenant_vendor_shared']
    when 'owner' then array['owner_shared'] when 'vendor' then array['vendor_shared', 'tenant_vendor_shared'] end)
  and (portal_uploader_id is null or portal_uploader_id = portal_subject() or portal_uploader_role <> portal_role() or visibility = 'tenant_vendor_shared')
  and (${isOwnConversation} or exists (select from portal_shared_records(${user}) reached where reached.entity_type = document.entity_type and reached.entity_id = document.entity_id
    and (reached.shared_before is null or document.shared_with_tenants_at < reached.shared_before)))`;

/** The participant of a conversation, whom communications knows, reads the documents of it that the office shares. */
export class ConversationParticipants extends Migration {
  override up(): void {
    this.addSql("set local statement_timeout = 0");
    this.addSql(`alter table document add column participant_id uuid, add column participant_role text check (participant_role in ('tenant', 'vendor'))`);
    this.addSql("create index document_by_participant on document (organization_id, participant_id) where participant_id is not null");
    this.addSql(`alter policy portal_reach on document using ((select is_office()) or (${reads}))`);
  }
}
