/** Sign-up of an organization with its first admin. */
import type { auth } from "@freehold/contract/identity/auth";
import type { BodyOf, Output } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { isUniqueViolation } from "@freehold/kit/db/database-error";
import { OrgDb } from "@freehold/kit/db/org-db";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { newId } from "@freehold/kit/db/entity";
import { conflict } from "@freehold/kit/errors";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { normalizePhone } from "@freehold/domain/phone";
import { scheduleNow } from "@freehold/kit/jobs/scheduler";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { randomBytes } from "node:crypto";
import { Organization } from "../accounts/organization/organization.entity.ts";
import { getOrganization } from "../accounts/organization/organization.ts";
import { getUserView } from "../accounts/users/user-changes.ts";
import { recordAudit } from "../audit-log/audit.ts";
import { defaultPolicies, requireTimezone, slugOf } from "../accounts/organization/organization.rules.ts";
import { insertUser, newUserDefaults } from "../accounts/users/new-user.ts";
import type { Identity } from "../context.ts";
import { DELETE_EXPIRED } from "../delete-expired.ts";
import { mailLink } from "../recoveries/mailed-links.ts";
import { findCandidates } from "./sign-in-candidates.queries.ts";
import { requireUncommonPassword } from "./passwords/common-password.rules.ts";
import { hashPassword } from "./passwords/password.ts";
import { startSession, type SignedIn } from "./tokens/sessions.ts";
import { findMatchingCandidates } from "./sign-in.ts";
import { requestContextOf, type AnonymousCaller } from "./anonymous-caller.ts";

type Operation = typeof auth.operations.signUp;
type Request = BodyOf<Operation>;

const publish = eventPublisher("identity");
const DEFAULT_TIMEZONE = "America/New_York";
const MAX_SLUG_ATTEMPTS = 5;

/** Response of a sign-up, and the tokens for the cookies. */
export type SignedUp = Omit<SignedIn, "response"> & { response: Output<Operation> };

/** Creates an organization and its first admin, and signs the admin in. Sets up the ledger first, so no organization exists without a ledger. */
export async function signUp(identity: Identity, request: Request, caller: AnonymousCaller): Promise<SignedUp> {
  const timezone = request.timezone ?? DEFAULT_TIMEZONE;
  requireTimezone(timezone);
  const phone = normalizePhone("phone", request.phone) ?? null;
  // Before the lookup of the address, so that the refusal does not reveal an account.
  requireUncommonPassword("password", request.password);
  await identity.throttle.countClientAttempt(caller.clientAddress);
  const email = request.email.toLowerCase();
  await identity.throttle.countMail(email, caller.clientAddress);
  const passwordHash = await hashFor(identity, email, request.password, caller);

  const organizationId = newId();
  const userId = newId();
  const db = new OrgDb(identity.database, { ...systemPrincipal(organizationId, timezone), userId }, requestContextOf(caller));
  const asSystem = { principal: systemPrincipal(organizationId, timezone), requestId: caller.requestId };
  await identity.clients.ledger.setUpLedger(asSystem, { timezone, defaultBasis: "accrual", policies: JSON.stringify(defaultPolicies) });

  const { response, ...cookies } = await withUniqueSlug(slugOf(request.organizationName), (slug) =>
    transaction(db, async (tx) => {
      addOrganization(tx, { name: request.organizationName, slug, timezone });
      await insertUser(tx, { ...newUserDefaults, id: userId, email, fullName: request.fullName, role: "admin", phone, passwordHash, lastLoginAt: now() });
      await publish(tx, "organization.created", { entityId: organizationId, data: {} });
      await publish(tx, "user.created", { entityId: userId, data: { role: "admin" } });
      await scheduleNow(tx, DELETE_EXPIRED);
      recordAudit(tx, { action: "organization.created", entityType: "organization", entityId: organizationId, after: await getOrganization(tx) });
      recordAudit(tx, { action: "user.created", entityType: "user", entityId: userId, after: await getUserView(tx, userId) });
      return await startSession(identity, tx, userId, caller);
    }),
  );
  const recipient = { organizationId, organizationName: request.organizationName, userId, email, fullName: request.fullName };
  // Not awaited: the user is signed in already, and can request another e-mail.
  void mailConfirmation(identity, recipient).catch((error: unknown) => identity.log.error({ err: error, userId }, "sending a link failed"));
  return { response: { ...response, emailConfirmationRequired: true }, ...cookies };
}

/** E-mails the confirmation link, unless the address has got too many e-mails. */
async function mailConfirmation(identity: Identity, recipient: Parameters<typeof mailLink>[2]): Promise<void> {
  if (await identity.throttle.countMailToRecipient(recipient.email)) await mailLink(identity, "email_confirmation", recipient);
}

/**
 * Returns the hash to store: a new one, or the existing one when the address already has an account with this password. An account that
 * somebody else has created with the address does not keep its owner out: the owner resets its password with a mailed link.
 */
async function hashFor(identity: Identity, email: string, password: string, caller: AnonymousCaller): Promise<string> {
  const candidates = await findCandidates(identity.database, email);
  if (candidates.length === 0) return identity.hashingQueue(caller.clientAddress, () => hashPassword(password));
  const { clientAddress } = caller;
  const device = identity.devices.verify(caller.deviceCookie, candidates);
  const [match] = await findMatchingCandidates(identity, password, candidates, { login: email, clientAddress, device, coversAllAccounts: true });
  if (match) return match.passwordHash;
  throw conflict("This e-mail address already has an account. Sign up with its password, or reset the password first if you do not know it.", "duplicate", [
    { path: "email", code: "unique", message: "This e-mail address already has an account with another password." },
  ]);
}

const addOrganization = (tx: OrgTx, fields: { name: string; slug: string; timezone: string }): Organization =>
  tx.create(Organization, {
    ...fields,
    id: tx.organizationId,
    locale: "en-US",
    addressLine1: null,
    addressLine2: null,
    city: null,
    state: null,
    postalCode: null,
    phone: null,
    email: null,
    logoDocumentId: null,
    fiscalYearStartMonth: 1,
    defaultBasis: "accrual",
    policies: defaultPolicies,
    onboardingCompletedAt: null,
    confirmedAt: null,
    invitesBeforeConfirmation: 0,
  });

/** Runs `work` with the slug; retries with a random suffix while the slug is taken. */
async function withUniqueSlug<T>(slug: string, work: (slug: string) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt === 1 ? slug : `${slug}-${randomBytes(4).toString("hex")}`);
    } catch (error) {
      if (attempt === MAX_SLUG_ATTEMPTS || !isUniqueViolation(error, "organization_slug_once")) throw error;
    }
  }
}
