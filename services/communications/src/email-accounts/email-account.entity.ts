/** Table of e-mail accounts. */
import { emailAccountKinds, emailAccountStatuses, type DnsRecord } from "@freehold/contract/communications/email-accounts";
import { defineEntity, enumText, inOrganization, orgColumns, p } from "@freehold/kit/db/entity";

const EmailAccountSchema = defineEntity({
  name: "EmailAccount",
  tableName: "email_account",
  ...inOrganization,
  uniques: [
    {
      name: "email_account_address_once",
      expression: "create unique index email_account_address_once on email_account (organization_id, address) where deleted_at is null",
    },
    {
      name: "email_account_one_default",
      expression: "create unique index email_account_one_default on email_account (organization_id) where is_default and deleted_at is null",
    },
    { name: "email_account_inbound_once", expression: "create unique index email_account_inbound_once on email_account (organization_id, inbound_address)" },
  ],
  properties: {
    ...orgColumns,
    address: p.text(),
    displayName: p.text().nullable(),
    kind: enumText(emailAccountKinds),
    status: enumText(emailAccountStatuses),
    isDefault: p.boolean(),
    replyTo: p.text().nullable(),
    integrationId: p.uuid().nullable(),
    dnsRecords: p.json().$type<DnsRecord[]>(),
    inboundAddress: p.text(),
    lastCheckedAt: p.datetime(3).nullable(),
    dkimSelector: p.text().nullable(),
    dkimKeySealed: p.blob().nullable(),
    codeHash: p.text().nullable(),
    codeSentAt: p.datetime(3).nullable(),
    codeAttempts: p.integer(),
    deletedAt: p.datetime(3).nullable(),
  },
});

/**
 * Address from which the organization sends e-mails. The DKIM key of a domain is stored encrypted, and of the confirmation code of a forwarding
 * address only the digest.
 */
export class EmailAccount extends EmailAccountSchema.class {}
EmailAccountSchema.setClass(EmailAccount);

/** Columns that no response contains. */
export const hiddenColumns = ["dkimKeySealed", "dkimSelector", "codeHash", "codeSentAt", "codeAttempts"] as const;
