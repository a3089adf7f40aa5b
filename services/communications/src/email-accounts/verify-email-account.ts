/** Verification of e-mail accounts: of domains by their DNS records, of forwarding addresses by a code. */
import type { emailAccounts } from "@freehold/contract/communications/email-accounts";
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, invalid, rateLimited } from "@freehold/kit/errors";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { now } from "@freehold/kit/time/clock";
import { requireTransport } from "../messages/transports.ts";
import { CODE_LIFETIME_MS, hashCode, MAX_CODE_ATTEMPTS, RESEND_MS } from "./confirmation-code.ts";
import type { LookUpDns } from "./dns-lookup.ts";
import { checkRecord, statusAfterCheck } from "./dns-records.rules.ts";
import type { EmailAccount } from "./email-account.entity.ts";
import { getEmailAccountView } from "./email-account.queries.ts";
import { lockEmailAccount, publishEmailAccount, type EmailAccountDependencies } from "./email-accounts.ts";
import { sendConfirmation } from "./account-mails.ts";

type Operation = typeof emailAccounts.operations.verifyEmailAccount;
type Result = Output<Operation>;

/** Name of the job that checks verified domains again. */
export const CHECK_EMAIL_ACCOUNTS = "check_email_accounts";
const DAY_MS = 86_400_000;
/** Time until a domain is checked again whose check has failed. */
const RECHECK_MS = 60_000;

/** Verifies an account as far as possible, and returns it. Throws 409 for a disabled one. */
export async function verifyEmailAccount(db: OrgDb, dependencies: EmailAccountDependencies, id: string, { code }: BodyOf<Operation>): Promise<Result> {
  const { kind, status } = await getEmailAccountView(db, id);
  // Locks the account, so that an outdated `If-Match` is refused first.
  if (status === "disabled") await transaction(db, async (tx) => requireEnabled((await lockEmailAccount(tx, id)).status));
  if (kind === "domain") {
    if (code !== undefined) throw invalid([{ path: "code", code: "not_allowed", message: "A domain is verified by its DNS records. Leave code out." }]);
    return checkDomain(db, dependencies.lookUp, id);
  }
  return code === undefined ? resendCode(db, dependencies, id) : confirmAddress(db, id, code);
}

function requireEnabled(status: EmailAccount["status"]): void {
  if (status === "disabled") throw conflict("The e-mail account is disabled. Enable it first.", "invalid_transition");
}

/** Looks up the records of a domain, before the transaction, and stores what was found with the status that follows. */
export async function checkDomain(db: OrgDb, lookUp: LookUpDns, id: string): Promise<Result> {
  const { dnsRecords } = await getEmailAccountView(db, id);
  const checked = await Promise.all(dnsRecords.map(async (record) => checkRecord(record, await lookUp(record))));
  return transaction(db, async (tx) => {
    const account = await lockEmailAccount(tx, id);
    if (account.status !== "disabled") {
      const before = account.status;
      const status = statusAfterCheck(before, checked);
      tx.assign(account, { dnsRecords: checked, status, lastCheckedAt: now() });
      if (status !== before) await publishEmailAccount(tx, status === "failed" ? "email_account.failed" : "email_account.updated", account);
      if (before !== "verified" && status === "verified") await scheduleNow(tx, CHECK_EMAIL_ACCOUNTS);
    }
    return { emailAccount: await getEmailAccountView(tx, id) };
  });
}

/** Sends another code to a forwarding address. Throws 429 within a minute of the last one. */
async function resendCode(db: OrgDb, { transports, clients }: EmailAccountDependencies, id: string): Promise<Result> {
  requireTransport(transports, "email");
  const { name } = await clients.identity.getOrganization(db, {});
  return transaction(db, async (tx) => {
    const account = await lockEmailAccount(tx, id);
    requireEnabled(account.status);
    if (account.status !== "verified") {
      const waitMs = account.codeSentAt ? account.codeSentAt.getTime() + RESEND_MS - now().getTime() : 0;
      if (waitMs > 0) throw rateLimited(waitMs / 1_000);
      await sendConfirmation(tx, transports, account, name);
    }
    return { emailAccount: await getEmailAccountView(tx, id) };
  });
}

/** Confirms a forwarding address with its code. A wrong code counts, and the fifth ends the code. */
async function confirmAddress(db: OrgDb, id: string, code: string): Promise<Result> {
  const result = await transaction(db, async (tx) => {
    const account = await lockEmailAccount(tx, id);
    requireEnabled(account.status);
    if (account.status === "verified") return { emailAccount: await getEmailAccountView(tx, id) };
    const { codeHash, codeSentAt, codeAttempts } = account;
    const isCurrent = codeHash && codeSentAt && codeSentAt.getTime() + CODE_LIFETIME_MS > now().getTime() && codeAttempts < MAX_CODE_ATTEMPTS;
    if (!isCurrent) return "ended";
    if (hashCode(id, code) !== codeHash) {
      tx.assign(account, { codeAttempts: codeAttempts + 1 });
      return "wrong";
    }
    tx.assign(account, { status: "verified", codeHash: null, lastCheckedAt: now() });
    await publishEmailAccount(tx, "email_account.updated", account);
    return { emailAccount: await getEmailAccountView(tx, id) };
  });
  if (typeof result === "object") return result;
  const message =
    result === "wrong" ? "The code is wrong. Check it, or request another one without code." : "The code is no longer valid. Request another one without code.";
  throw invalid([{ path: "code", code: "mismatch", message }]);
}

/** Checks the domains whose last check is a day ago, and returns the time of the next check. */
export async function checkEmailAccounts(db: OrgDb, lookUp: LookUpDns): Promise<Date> {
  const isChecked = sql`organization_id = ${db.organizationId} and kind = 'domain' and status in ('verified', 'failed') and deleted_at is null`;
  const due = await db.all(
    sql<{ id: string }>`select id from email_account where ${isChecked} and last_checked_at <= now() - interval '1 day' order by last_checked_at, id`,
  );
  for (const { id } of due) await checkDomain(db, lookUp, id);
  const next = await db.first(sql<{ at: string | null }>`select min(last_checked_at) as at from email_account where ${isChecked}`);
  const earliest = now().getTime() + RECHECK_MS;
  return new Date(next?.at ? Math.max(new Date(next.at).getTime() + DAY_MS, earliest) : now().getTime() + DAY_MS);
}
