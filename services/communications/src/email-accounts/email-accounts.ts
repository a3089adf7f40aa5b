/** E-mail accounts: addresses from which the organization sends e-mails. */
import type { emailAccounts } from "@freehold/contract/communications/email-accounts";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { newId } from "@freehold/kit/db/entity";
import type { OrgDb } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, preconditionFailed, rateLimited } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { now } from "@freehold/kit/time/clock";
import { randomBytes } from "node:crypto";
import type { Clients } from "../clients.ts";
import { requireTransport, type MessageTransports } from "../messages/transports.ts";
import { addInboundAddress, removeInboundAddress } from "../webhooks/message-routes.queries.ts";
import type { DkimKeyVault } from "./dkim-key.ts";
import { generateDkimKey } from "./dkim-key.ts";
import type { LookUpDns } from "./dns-lookup.ts";
import { domainOf, requiredRecords } from "./dns-records.rules.ts";
import { EmailAccount } from "./email-account.entity.ts";
import { emailAccountView, getEmailAccountView, listEmailAccountRows, requireVerified } from "./email-account.queries.ts";
import { addressIn } from "./sender.ts";
import { sendConfirmation } from "./account-mails.ts";

type Operations = typeof emailAccounts.operations;
type Result = Output<Operations["getEmailAccount"]>;

/** Dependencies of e-mail accounts besides the database. */
export interface EmailAccountDependencies {
  clients: Clients;
  transports: MessageTransports;
  vault: DkimKeyVault;
  lookUp: LookUpDns;
}

const publish = eventPublisher("communications");
const MAX_ACCOUNTS = 20;
/** Accounts that an organization may add in a day, also if it deletes them, since each may send an e-mail to an address of its choice. */
const MAX_NEW_A_DAY = 40;
const RETRY_SECONDS = 3_600;

/** Publishes a change of an account to admins and managers. */
export const publishEmailAccount = (
  tx: OrgTx,
  type: "email_account.created" | "email_account.updated" | "email_account.failed" | "email_account.deleted",
  { id, status }: Pick<EmailAccount, "id" | "status">,
): Promise<void> => publish(tx, type, { entityId: id, data: { status }, audience: { roles: ["admin", "manager"] } });

/** Locks a live account. Throws 404 for an unknown or deleted one. */
export const lockEmailAccount = (tx: OrgTx, id: string): Promise<EmailAccount> => tx.getForUpdate(EmailAccount, id, "E-mail account", { deletedAt: null });

/** Returns a page of accounts. */
export async function listEmailAccounts(db: OrgDb, query: QueryOf<Operations["listEmailAccounts"]>): Promise<Output<Operations["listEmailAccounts"]>> {
  const { rows, paging } = await listEmailAccountRows(db, query);
  return { emailAccounts: rows.map(emailAccountView), ...paging };
}

/**
 * Adds an account: a domain with a new DKIM key, or a forwarding address, which gets a confirmation code. Throws 412 for a mailbox, 409 for a
 * repeated address and the twenty-first account, and 503 for a forwarding address without a mail server.
 */
export async function createEmailAccount(db: OrgDb, dependencies: EmailAccountDependencies, body: BodyOf<Operations["createEmailAccount"]>): Promise<Result> {
  const { address, kind, displayName, replyTo } = body;
  const { transports, vault, clients } = dependencies;
  if (kind === "mailbox")
    throw preconditionFailed("Mailboxes need an integration, and there are none yet. Use the kind domain or forwarding.", "integration_not_connected");
  if (kind === "forwarding") requireTransport(transports, "email");
  const id = newId();
  const systemDomain = domainOf(addressIn(transports.from));
  const selector = `fh${id.slice(-10)}`;
  const key = kind === "domain" ? await generateDkimKey() : undefined;
  const dns = key && {
    dnsRecords: requiredRecords(domainOf(address), { selector, publicKey: key.publicKey, systemDomain }),
    dkimSelector: selector,
    dkimKeySealed: vault.seal(key.privateKey),
  };
  const { name: organizationName } = kind === "forwarding" ? await clients.identity.getOrganization(db, {}) : { name: "" };
  return transaction(db, async (tx) => {
    await tx.all(sql`select pg_advisory_xact_lock(hashtextextended(${`email accounts ${tx.organizationId}`}, 0))`);
    await requireRoom(tx);
    const account = tx.create(EmailAccount, {
      id,
      address,
      kind,
      displayName,
      replyTo,
      status: "pending",
      isDefault: false,
      inboundAddress: `inbound-${randomBytes(9).toString("hex")}@${systemDomain}`,
      codeAttempts: 0,
      ...(dns ?? { dnsRecords: [] }),
    });
    await tx.flush();
    await addInboundAddress(tx, account.inboundAddress);
    await publishEmailAccount(tx, "email_account.created", account);
    if (kind === "forwarding") await sendConfirmation(tx, transports, account, organizationName);
    return { emailAccount: await getEmailAccountView(tx, id) };
  });
}

/** Throws 409 when the organization has as many accounts as it may have, and 429 when it has added as many as it may in a day. */
async function requireRoom(tx: OrgTx): Promise<void> {
  const counts = await tx.first(sql<{ live: number; added: number }>`select count(*) filter (where deleted_at is null) as live,
    count(*) filter (where created_at > now() - interval '1 day') as added from email_account where organization_id = ${tx.organizationId}`);
  const { live, added } = counts!;
  if (live >= MAX_ACCOUNTS) throw conflict(`An organization has at most ${MAX_ACCOUNTS} e-mail accounts. Delete one first.`, "resource_in_use");
  if (added >= MAX_NEW_A_DAY) throw rateLimited(RETRY_SECONDS);
}

/** Changes the name and the address for replies, and disables an account or enables it again: it is then to be verified again. */
export const updateEmailAccount = (db: OrgDb, id: string, { isDisabled, ...terms }: BodyOf<Operations["updateEmailAccount"]>): Promise<Result> =>
  transaction(db, async (tx) => {
    const account = await lockEmailAccount(tx, id);
    const wasDisabled = account.status === "disabled";
    if (isDisabled !== undefined && isDisabled !== wasDisabled) account.status = isDisabled ? "disabled" : "pending";
    tx.assign(account, { ...omitUndefined(terms), updatedAt: now() });
    await publishEmailAccount(tx, "email_account.updated", account);
    return { emailAccount: await getEmailAccountView(tx, id) };
  });

/** Deletes an account. E-mails are sent from the address of the system if it was the default. */
export const deleteEmailAccount = (db: OrgDb, id: string): Promise<Result> =>
  transaction(db, async (tx) => {
    const account = await lockEmailAccount(tx, id);
    tx.assign(account, { deletedAt: now(), isDefault: false });
    await removeInboundAddress(tx, account.inboundAddress);
    await publishEmailAccount(tx, "email_account.deleted", account);
    return { emailAccount: await getEmailAccountView(tx, id, { includeDeleted: true }) };
  });

/** Makes a verified account the sender of the organization's e-mails. */
export const setDefaultEmailAccount = (db: OrgDb, id: string): Promise<Result> =>
  transaction(db, async (tx) => {
    await tx.all(sql`select pg_advisory_xact_lock(hashtextextended(${`email accounts ${tx.organizationId}`}, 0))`);
    const account = await lockEmailAccount(tx, id);
    requireVerified(account);
    if (!account.isDefault) {
      await tx.all(sql`update email_account set is_default = false, updated_at = now(), version = version + 1
        where organization_id = ${tx.organizationId} and is_default and id <> ${id}`);
      tx.assign(account, { isDefault: true });
      await publishEmailAccount(tx, "email_account.updated", account);
    }
    return { emailAccount: await getEmailAccountView(tx, id) };
  });
