import { z } from "zod";
import { body, operationGroup } from "../operation.ts";
import { admins, adminsAndManagers } from "../roles.ts";
import { csvEnum, Email, Id, Instant, listQuery, page, Search, text } from "../values.ts";
import { MessageDelivery } from "./conversations.ts";

export const emailAccountKinds = ["domain", "forwarding", "mailbox"] as const;
export const emailAccountStatuses = ["pending", "verified", "failed", "disabled"] as const;
export const dnsRecordPurposes = ["spf", "dkim", "dmarc", "return_path"] as const;
export const dnsRecordStatuses = ["pending", "verified", "missing", "mismatch", "unreachable"] as const;

const DnsRecord = z
  .strictObject({
    purpose: z
      .enum(dnsRecordPurposes)
      .describe(
        "Purpose of the record: `spf` permits the mail server to send, `dkim` has the key of the signatures, `dmarc` the policy, and `return_path` the domain of returned e-mails.",
      ),
    type: z.enum(["TXT", "CNAME"]).describe("Type of the record."),
    name: z.string().describe("Name of the record."),
    value: z.string().describe("Value to set. An existing SPF record gets the `include` of the value; an existing DMARC record stays as it is."),
    status: z
      .enum(dnsRecordStatuses)
      .describe(
        "Result of the last check: `pending` before the first, `verified`, `missing`, `mismatch` for another value, or `unreachable` when DNS did not respond.",
      ),
    found: z.array(z.string()).describe("Values that the last check found."),
  })
  .meta({ id: "DnsRecord", description: "DNS record that a domain needs to send e-mails." });
export type DnsRecord = z.output<typeof DnsRecord>;

const Address = Email.toLowerCase().describe("E-mail address, unique in the organization.");
const displayName = text(1, 120).nullable().describe("Name that recipients see, or null.");
const replyTo = Email.nullable().describe(
  "Address for replies, or null. With null, replies to the e-mails of a conversation go to an address of the system that adds them to it, if the system receives e-mails.",
);

export const EmailAccount = z
  .strictObject({
    id: Id.describe("ID of the e-mail account."),
    organizationId: Id.describe("ID of the organization that the account belongs to."),
    address: Address,
    displayName,
    kind: z
      .enum(emailAccountKinds)
      .describe(
        "Kind of the account: `domain` sends from its address with a DKIM signature once the DNS records are set; `forwarding` sends from the address of the system under its name, with its address for replies, except those to conversations, which the system receives; `mailbox` is that of an integration.",
      ),
    status: z
      .enum(emailAccountStatuses)
      .describe("Status of the account: `pending` until it is verified, `failed` when the records of a verified domain are gone, `disabled` by an admin."),
    isDefault: z.boolean().describe("Whether e-mails of the organization are sent from the account while it is verified."),
    replyTo,
    integrationId: Id.nullable().describe("ID of the integration of a mailbox. Null for other kinds."),
    dnsRecords: z.array(DnsRecord).describe("DNS records to set. Empty unless the kind is `domain`."),
    inboundAddress: Email.describe("Address to which incoming e-mails are to be forwarded."),
    lastCheckedAt: Instant.nullable().describe("Time of the last check of the DNS records, or of the confirmation of the address. Null before the first."),
    createdAt: Instant.describe("Time at which the account was created."),
    updatedAt: Instant.describe("Time at which the account was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the account was deleted. Null unless deleted."),
  })
  .meta({ id: "EmailAccount", description: "Address from which the organization sends e-mails." });
export type EmailAccount = z.output<typeof EmailAccount>;

const FALLBACK_NOTE = "While no verified account is the default, e-mails are sent from the address of the system.";

export const emailAccounts = operationGroup("E-mail accounts", "communications", {
  listEmailAccounts: {
    method: "GET",
    path: "/api/email-accounts",
    summary: "list e-mail accounts",
    access: adminsAndManagers,
    query: listQuery(["address", "createdAt"], {
      search: Search.optional().describe("Case-insensitive text to find in the address or the name."),
      kind: csvEnum(emailAccountKinds).optional().describe("Return only accounts of these kinds, repeated or comma-separated."),
      status: csvEnum(emailAccountStatuses).optional().describe("Return only accounts with these statuses, repeated or comma-separated."),
    }),
    response: page("emailAccounts", EmailAccount),
  },
  createEmailAccount: {
    method: "POST",
    path: "/api/email-accounts",
    summary: "add e-mail accounts",
    access: admins,
    description:
      "Adds an account with the status `pending`. A `domain` gets a DKIM key and the DNS records to set; a `forwarding` address gets an e-mail with a code, which `POST /api/email-accounts/{id}/verify` takes. The kind `mailbox` is refused (412 `integration_not_connected`): integrations of mailboxes do not exist yet. An organization has each address once (409 `duplicate`) and at most 20 accounts (409 `resource_in_use`), and adds at most 40 in a day (429).",
    body: body({
      address: Address,
      kind: z.enum(emailAccountKinds).describe("Kind of the account."),
      displayName: displayName.default(null).describe("Name that recipients see. Default: null, for the name of the organization."),
      replyTo: replyTo.default(null).describe("Address for replies. Default: null."),
    }),
    response: { emailAccount: EmailAccount },
    errors: [409, 412, 503],
    idempotent: true,
  },
  getEmailAccount: {
    method: "GET",
    path: "/api/email-accounts/{id}",
    summary: "read an e-mail account",
    access: adminsAndManagers,
    response: { emailAccount: EmailAccount },
  },
  updateEmailAccount: {
    method: "PATCH",
    path: "/api/email-accounts/{id}",
    summary: "change e-mail accounts",
    access: admins,
    description: `Changes the name or the address for replies, disables an account, or enables it again: it is then \`pending\`. ${FALLBACK_NOTE}`,
    body: body({
      displayName,
      replyTo,
      isDisabled: z.boolean().describe("Whether the account is disabled. Unchanged when omitted."),
    }).partial(),
    response: { emailAccount: EmailAccount },
  },
  deleteEmailAccount: {
    method: "DELETE",
    path: "/api/email-accounts/{id}",
    summary: "delete e-mail accounts",
    access: admins,
    description: `Deletes an account, also the default one. ${FALLBACK_NOTE}`,
    response: { emailAccount: EmailAccount },
  },
  verifyEmailAccount: {
    method: "POST",
    path: "/api/email-accounts/{id}/verify",
    summary: "verify e-mail accounts",
    access: admins,
    description:
      "Checks the DNS records of a `domain` and returns the status of each with the values found; the account is verified once all are. With `code`, confirms the address of a `forwarding` account; without, sends another code, at most one a minute (429), which is valid for 24 hours and five attempts. Verified domains are checked again every day. A disabled account is refused (409 `invalid_transition`).",
    body: body({ code: z.string().trim().min(1).max(20).optional().describe("Code of the confirmation e-mail of a `forwarding` account. Default: none.") }),
    response: { emailAccount: EmailAccount },
    errors: [409, 503],
  },
  setDefaultEmailAccount: {
    method: "POST",
    path: "/api/email-accounts/{id}/default",
    summary: "set the default e-mail account",
    access: admins,
    description: `Sends the e-mails of the organization from this account from now on. The account must be verified (412 \`email_account_not_verified\`). ${FALLBACK_NOTE}`,
    response: { emailAccount: EmailAccount },
  },
  testEmailAccount: {
    method: "POST",
    path: "/api/email-accounts/{id}/test",
    summary: "send test e-mails from e-mail accounts",
    access: admins,
    description:
      "Sends an e-mail from the account to the caller, also if another account is the default. The account must be verified (412 `email_account_not_verified`).",
    response: { delivery: MessageDelivery },
    errors: [503],
    idempotent: true,
  },
});
