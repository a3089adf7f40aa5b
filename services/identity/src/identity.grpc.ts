/** The gRPC service that identity offers to the other services. */
import { withOfficeReach } from "@freehold/kit/db/portal-reach";
import { grpcService } from "@freehold/kit/rpc/grpc";
import { IdentityServiceService, type IdentityServiceServer, type User } from "@freehold/proto/identity/v1/identity";
import { getOrganizationRow } from "./accounts/organization/organization.queries.ts";
import { defaultPolicies } from "./accounts/organization/organization.rules.ts";
import { countInviteMail, tryCountInvite, isConfirmed, uncountInvite } from "./accounts/invites/invite-limits.ts";
import type { Identity } from "./context.ts";
import { createShortLink } from "./short-links/short-links.ts";
import { findAddressHolders } from "./accounts/users/portal-users.ts";
import { findRecipients, findUsers, type UserRow } from "./accounts/users/users.queries.ts";

const userMessage = ({ id, fullName, email, role, deletedAt }: Pick<UserRow, "id" | "fullName" | "email" | "role" | "deletedAt">): User => ({
  id,
  fullName,
  email,
  role,
  ...(deletedAt !== null && { isDeleted: true }),
});

/** Returns a user with the record that the user represents, the phone number, and the consents to text messages to it and to e-mails. */
const recipientMessage = ({ subjectId, phone, smsConsentGranted, smsConsentAt, emailConsentGranted, emailConsentAt, ...user }: UserRow): User => ({
  ...userMessage(user),
  ...(subjectId !== null && { subjectId }),
  ...(phone !== null && { phone }),
  ...(smsConsentAt !== null && { smsConsent: { isGranted: smsConsentGranted, decidedAt: smsConsentAt } }),
  ...(emailConsentAt !== null && { emailConsent: { isGranted: emailConsentGranted, decidedAt: emailConsentAt } }),
});

/** Creates the gRPC service of identity. */
export const identityService = (identity: Identity) =>
  grpcService<IdentityServiceServer>(IdentityServiceService, ["portfolio", "ledger", "communications", "imports"], {
    // Names of users, and recipients, in responses and events of the calling service, which selects what a portal shows of them.
    getUsers: async ({ ids }, db) => ({ users: (await findUsers(withOfficeReach(db), ids)).map(userMessage) }),
    listRecipients: async (request, db) => ({ users: (await findRecipients(withOfficeReach(db), request)).map(recipientMessage) }),
    shortenLinks: async ({ links }, db) => ({ urls: await Promise.all(links.map((link) => createShortLink(identity, db, link))) }),
    findAddressHolders: async (request, db) => {
      const holders = await findAddressHolders(db, request);
      return { hasOfficeUser: holders.some(({ subjectId }) => subjectId === null), subjectIds: holders.flatMap(({ subjectId }) => subjectId ?? []) };
    },
    countInvite: async ({ kind, email }, db) => {
      const waitSeconds = email === undefined ? undefined : await countInviteMail(identity, db, { kind, email });
      const refusal = await tryCountInvite(identity, db, waitSeconds);
      if (!refusal) return {};
      const { status, code = "rate_limited", message, headers } = refusal;
      return { refusal: { status, code, message, ...(headers["Retry-After"] && { retryAfter: headers["Retry-After"] }) } };
    },
    uncountInvite: async (_, db) => {
      await uncountInvite(db);
      return {};
    },
    getOrganization: async (_, db) => {
      const { id, name, timezone, defaultBasis, fiscalYearStartMonth, policies, version } = await getOrganizationRow(db);
      return {
        id,
        name,
        timezone,
        defaultBasis,
        fiscalYearStartMonth,
        version,
        policies: JSON.stringify({ ...defaultPolicies, ...policies }),
        isConfirmed: await isConfirmed(withOfficeReach(db)),
      };
    },
  });
