import { randomUUID } from "node:crypto";
import type { BodyOf, Output } from "@freehold/contract/operation";
import type { tenantInvites } from "@freehold/contract/tenant-invites";
import { now } from "@freehold/kit/clock";
import { transaction, type OrgDb, type OrgTx } from "@freehold/kit/db";
import { conflict, invalid, notFound, unknownReference } from "@freehold/kit/errors";
import { announce } from "../announce.ts";
import { completed } from "../asking.ts";
import type { Clients } from "../clients.ts";
import { LeaseOccupant } from "../leases/lease.entity.ts";
import { phoneNumber } from "../phone.ts";
import { holdReference } from "../references.ts";
import { Tenant } from "../tenants/tenant.entity.ts";
import { sendInvite } from "./invite-mail.ts";
import type { InviteTokens } from "./invite-token.rules.ts";
import { Invite } from "./invite.entity.ts";
import { expiryOf, inviteFlow, statusAt } from "./invite.rules.ts";
import { inviteView } from "./invite.view.ts";
import { findInviteRow, type InviteRow } from "./invites.queries.ts";

type Operations = (typeof tenantInvites)["operations"];
type Terms = BodyOf<Operations["createTenantInvite"]>;
type Answer = Output<Operations["createTenantInvite"]>;

/** What inviting needs besides the database. */
export interface Inviting {
  ask: Clients;
  tokens: InviteTokens;
  publicUrl: string;
}

const tokenOf = (tokens: InviteTokens, { organizationId, id, nonce }: InviteRow): string => tokens.tokenOf({ organizationId, inviteId: id }, nonce);

/** Invites a tenant to the portal in place of any invite before, and sends the letter once that is committed. */
export async function createTenantInvite(db: OrgDb, inviting: Inviting, given: Terms): Promise<Answer> {
  const terms = { ...given, phone: phoneNumber("phone", given.phone) };
  const { name } = await inviting.ask.identity.getOrganization(db, {});
  const work = transaction(db, async (tx) => {
    const invite = await writeInvite(tx, terms);
    // The answer is kept with an Idempotency-Key: it must not hold what opens the invite.
    const answer: Answer = {
      invite: inviteView((await findInviteRow(tx, invite.id))!, ""),
      inviteLink: "",
      shortInviteLink: null,
      emailDelivery: null,
      smsDelivery: null,
    };
    return answer;
  });
  return completed(work, (answer) => sendOut(db, inviting, terms, name, answer));
}

/** Derives the token and sends the letters; both are the same however often it is done. */
async function sendOut(db: OrgDb, { ask, tokens, publicUrl }: Inviting, terms: Terms, organizationName: string, answer: Answer): Promise<Answer> {
  const row = (await findInviteRow(db, answer.invite.id))!;
  const token = tokenOf(tokens, row);
  const link = `${publicUrl.replace(/\/$/, "")}/invites/${token}`;
  const fields = { organizationName, fullName: row.fullName, link, kind: "tenant", expiresAt: row.expiresAt };
  const [emailDelivery, smsDelivery] = await Promise.all([
    terms.channels.includes("email") ? sendInvite(db, ask, { id: row.id, channel: "email", to: row.email, fields }) : null,
    !terms.channels.includes("sms")
      ? null
      : row.smsConsentGranted
        ? sendInvite(db, ask, { id: row.nonce, channel: "sms", to: terms.phone ?? row.phone, fields })
        : { provider: "sms", status: "skipped", error: "no_consent" },
  ]);
  return { invite: Object.assign(answer.invite, { token }), inviteLink: link, shortInviteLink: null, emailDelivery, smsDelivery };
}

async function writeInvite(tx: OrgTx, { tenantId, channels, email, leaseId }: Terms): Promise<Invite> {
  const [tenant] = await tx.lockAll(Tenant, [tenantId]);
  if (!tenant || tenant.deletedAt) throw unknownReference("tenantId", "tenant");
  const address = email ?? tenant.email ?? null;
  if (channels.includes("email") && !address)
    throw invalid([{ path: "email", code: "required", message: "The tenant has no e-mail address. Give one in email." }]);
  if (leaseId) await refuseOtherLease(tx, leaseId, tenantId);
  if (tenant.userId) throw conflict("The tenant already has a portal account.", "duplicate");
  for (const earlier of await tx.find(Invite, { tenantId, status: "pending" })) await revoke(tx, earlier);
  await tx.flush();
  const invite = tx.create(Invite, {
    kind: "tenant",
    tenantId,
    leaseId: leaseId ?? null,
    email: address,
    nonce: randomUUID(),
    status: "pending",
    expiresAt: expiryOf(now()),
    createdByUserId: tx.scope.userId,
  });
  tenant.portalStatus = "invited";
  await announce(tx, "invite.created", { entityId: invite.id, data: { kind: "tenant", subjectId: tenantId } });
  return invite;
}

async function refuseOtherLease(tx: OrgTx, leaseId: string, tenantId: string): Promise<void> {
  await holdReference(tx, "lease", leaseId, "leaseId");
  const occupant = await tx.findOne(LeaseOccupant, { leaseId, tenantId, removedAt: null });
  if (!occupant) throw invalid([{ path: "leaseId", code: "mismatch", message: "The tenant is not on this lease. Check tenantId and leaseId." }]);
}

async function revoke(tx: OrgTx, invite: Invite): Promise<void> {
  inviteFlow.move(invite.status, "revoked");
  tx.assign(invite, { status: "revoked", revokedAt: now() });
  await announce(tx, "invite.revoked", { entityId: invite.id, data: { kind: invite.kind, subjectId: invite.tenantId } });
}

/** Takes back an invite that nobody has used and that has not run out. */
export function revokeTenantInvite(db: OrgDb, { tokens }: Inviting, id: string): Promise<Output<Operations["revokeTenantInvite"]>> {
  return transaction(db, async (tx) => {
    const found = await findInviteRow(tx, id);
    if (!found) throw notFound("Invite");
    // The tenant first, as whoever invites or accepts does.
    const [tenant] = await tx.lockAll(Tenant, [found.tenantId]);
    const invite = await tx.change(Invite, id, "Invite");
    inviteFlow.move(statusAt(invite, now()), "revoked");
    await revoke(tx, invite);
    tenant!.portalStatus = "none";
    const row = (await findInviteRow(tx, id))!;
    return { invite: inviteView(row, tokenOf(tokens, row)) };
  });
}
