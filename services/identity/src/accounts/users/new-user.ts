import type { OrgTx } from "@freehold/kit/db/org-tx";
import { SignInAddress } from "./sign-in-address.entity.ts";
import { User } from "./user.entity.ts";

/** What a user has before anybody chose otherwise. */
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
} as const;

/** Creates a user and the address it signs in with. The user's row goes first, since the address refers to it. */
export async function insertUser(tx: OrgTx, data: Parameters<typeof tx.create<User>>[1] & { id: string; email: string }): Promise<User> {
  const user = tx.create(User, data);
  await tx.flush();
  tx.create(SignInAddress, { email: data.email, userId: data.id });
  return user;
}
