import { now } from "@freehold/kit/time/clock";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { SignInAddress } from "./sign-in-address.entity.ts";
import { User } from "./user.entity.ts";

/** Default column values of a new user. */
export const newUserDefaults = {
  phone: null,
  subjectId: null,
  isActive: true,
  passwordHash: null,
  emailConfirmedAt: null,
  onboardingCompletedAt: null,
  locale: "en-US",
  smsConsentGranted: false,
  smsConsentAt: null,
  emailConsentGranted: false,
  emailConsentAt: null,
  lastLoginAt: null,
  deletedAt: null,
  accessVersion: 0,
} as const;

/** Inserts a user, and the address for sign-in of one with a password. An invited user gets it with the acceptance. */
export async function insertUser(tx: OrgTx, data: Parameters<typeof tx.create<User>>[1] & { id: string; email: string }): Promise<User> {
  const user = tx.create(User, data);
  // The sign-in address has a foreign key to the user.
  await tx.flush();
  // At its creation, only an accepted portal invite has confirmed the address of a user.
  if (data.passwordHash) tx.create(SignInAddress, { email: data.email, userId: data.id, proof: data.emailConfirmedAt ? "invite" : "none", signedInAt: now() });
  return user;
}
