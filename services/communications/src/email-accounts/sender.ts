/** Sender of the organization's e-mails: its default e-mail account while it is verified, otherwise the address of the system. */
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import type { DkimKeyVault } from "./dkim-key.ts";
import { domainOf, returnPathHost } from "./dns-records.rules.ts";
import type { EmailAccount } from "./email-account.entity.ts";

/** Headers and signature of an e-mail's sender. */
export interface MailSender {
  /** Address or `Name <address>`. */
  from: string;
  replyTo: string | null;
  /** Inbound address of the account that sends, whose replies may go there; undefined if the office has set an address for replies. */
  inboundAddress?: string;
  /** Address for returned e-mails; undefined for that of `from`. */
  returnPath?: string;
  dkim?: { domainName: string; keySelector: string; privateKey: string };
}

/** Sender of the system, and the vault that decrypts the DKIM keys of accounts. */
export interface SenderSettings {
  /** Sender of e-mails without a verified account. */
  from: string;
  vault?: DkimKeyVault | undefined;
}

type SenderRow = Pick<EmailAccount, "id" | "address" | "displayName" | "kind" | "replyTo" | "inboundAddress" | "dkimSelector" | "dkimKeySealed">;

/** Address in `Name <address>`. */
export const addressIn = (sender: string): string => /<([^<>]+)>\s*$/.exec(sender)?.[1] ?? sender.trim();
const named = (name: string, address: string): string => `"${name.replaceAll(/["\\\r\n]/g, "")}" <${address}>`;

/**
 * Returns the sender of an e-mail: of the named account, else the default one. An account that is not verified is not used, and a domain whose key
 * cannot be decrypted neither, since e-mails without its signature would be refused.
 */
export async function resolveSender(db: StatementRunner, { from, vault }: SenderSettings, accountId: string | null = null): Promise<MailSender> {
  const account =
    await db.first(sql<SenderRow>`select id, address, display_name, kind, reply_to, inbound_address, dkim_selector, dkim_key_sealed from email_account
    where organization_id = ${db.organizationId} and status = 'verified' and deleted_at is null and case when ${accountId}::uuid is null then is_default else id = ${accountId}::uuid end`);
  if (!account) return { from, replyTo: null };
  const { address, displayName, kind, replyTo } = account;
  const inbound = replyTo ? {} : { inboundAddress: account.inboundAddress };
  // The system may not send from an address whose domain it does not sign for.
  if (kind !== "domain") return { from: displayName ? named(displayName, addressIn(from)) : from, replyTo: replyTo ?? address, ...inbound };
  const privateKey = account.dkimKeySealed ? vault?.open(Buffer.from(account.dkimKeySealed)) : undefined;
  if (privateKey === undefined) return { from, replyTo: replyTo ?? address, ...inbound };
  const domain = domainOf(address);
  return {
    from: displayName ? named(displayName, address) : address,
    replyTo: replyTo ?? null,
    ...inbound,
    returnPath: `bounce@${returnPathHost(domain)}`,
    dkim: { domainName: domain, keySelector: account.dkimSelector!, privateKey },
  };
}
