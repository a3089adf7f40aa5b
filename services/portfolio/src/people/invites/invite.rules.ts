import { stateMachine } from "@freehold/kit/state-machine";

/** Transitions between the stored statuses of an invite. */
export const inviteStateMachine = stateMachine("invite", { pending: ["accepted", "revoked", "expired"], accepted: [], revoked: [], expired: [] });
export type InviteStatus = keyof typeof inviteStateMachine.table;

const INVITE_MS = 7 * 86_400_000;
/** Time within which an accepted invite may still wait for its user: more than the longest request. */
const ACCEPTANCE_MS = 120_000;

/** Returns the expiry of an invite created at the time: seven days later. */
export const inviteExpiry = (createdAt: Date): Date => new Date(createdAt.getTime() + INVITE_MS);

/** Returns the status of an invite at a time. A pending invite is expired from `expiresAt` on. */
export const inviteStatusAt = ({ status, expiresAt }: { status: InviteStatus; expiresAt: Date | string }, time: Date): InviteStatus =>
  status === "pending" && new Date(expiresAt) <= time ? "expired" : status;

/** Tells whether an acceptance may still be creating its user. */
export const isAcceptanceUnderWay = (acceptedAt: Date | string | null | undefined, time: Date): boolean =>
  !!acceptedAt && time.getTime() - new Date(acceptedAt).getTime() < ACCEPTANCE_MS;

/** Tells whether an accepted invite without a user can still be accepted: until its expiry, and afterwards while the acceptance is under way. */
export const canContinueAcceptance = (
  { acceptedAt, expiresAt }: { acceptedAt?: Date | string | null | undefined; expiresAt: Date | string },
  time: Date,
): boolean => new Date(expiresAt) > time || isAcceptanceUnderWay(acceptedAt, time);
