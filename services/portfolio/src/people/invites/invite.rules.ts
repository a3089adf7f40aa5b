import { stateMachine } from "@freehold/kit/state-machine";

/** The kinds of people who have a portal, as their users' roles are called. */
export const portalKinds = ["tenant", "owner", "vendor"] as const;
export type PortalKind = (typeof portalKinds)[number];

export const inviteStateMachine = stateMachine("invite", { pending: ["accepted", "revoked", "expired"], accepted: [], revoked: [], expired: [] });
export type InviteStatus = keyof typeof inviteStateMachine.table;

const DAYS = 7;

/** When an invite made at a moment runs out. */
export const inviteExpiry = (madeAt: Date): Date => new Date(madeAt.getTime() + DAYS * 86_400_000);

/** The status of an invite at a moment: a pending one expires by itself. */
export const inviteStatusAt = ({ status, expiresAt }: { status: InviteStatus; expiresAt: Date | string }, moment: Date): InviteStatus =>
  status === "pending" && new Date(expiresAt) <= moment ? "expired" : status;
