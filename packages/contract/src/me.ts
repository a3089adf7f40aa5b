/** What everybody may change of themselves. */
import { z } from "zod";
import { area, body } from "./operation.ts";
import { FullName, Password, User } from "./people.ts";
import { everyone } from "./roles.ts";
import { Phone, text } from "./values.ts";

const STEPS = 50;
/** What somebody has been led through, by the names that the caller gives the steps. */
const Steps = z
  .record(text(1, 80), z.union([z.boolean(), text(0, 200), z.number()]))
  .refine((steps) => Object.keys(steps).length <= STEPS, { params: { code: "too_long" }, message: `steps can have at most ${STEPS} members.` });

export const me = area("Auth", "identity", {
  updateMe: {
    method: "PATCH",
    path: "/api/auth/me",
    summary: "change their own name and language",
    access: everyone,
    body: body({ fullName: FullName, locale: text(2, 32) }).partial(),
    returns: { user: User },
    fails: [404, 412],
  },
  changeMyPhone: {
    method: "PATCH",
    path: "/api/auth/me/phone",
    summary: "change their own phone number",
    access: everyone,
    description: "Answered in E.164. Consent to text messages was given for the number before and ends with it.",
    body: body({ phone: Phone }),
    returns: { user: User },
    fails: [404, 412],
  },
  changeMyConsent: {
    method: "PATCH",
    path: "/api/auth/me/consent",
    summary: "give or take back their own consent to messages",
    access: everyone,
    description: "Each change is kept as a record with its instant, network address and `source`: where the person was asked.",
    body: body({ smsConsent: z.boolean(), emailConsent: z.boolean(), source: text(1, 80) }).partial(),
    returns: { user: User },
    fails: [404, 412],
  },
  changeMyPassword: {
    method: "POST",
    path: "/api/auth/me/password",
    summary: "change their own password",
    access: everyone,
    description:
      "Ends every other session of the user. A wrong `currentPassword` answers 400 with the code `mismatch` and counts as a wrong password at signing in does.",
    body: body({ currentPassword: Password, newPassword: Password }),
    returns: { user: User },
    fails: [404],
  },
  completeOnboarding: {
    method: "POST",
    path: "/api/auth/onboarding/complete",
    summary: "complete their own onboarding",
    access: everyone,
    description: "Once: a second call answers 409. The first admin who completes it completes the organization's as well. `steps` is kept in the audit log.",
    body: body({ steps: Steps.optional() }),
    returns: { user: User },
    fails: [404, 409],
  },
});
