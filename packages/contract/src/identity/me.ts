/** Operations on the signed-in user. */
import { z } from "zod";
import { operationGroup, body } from "../operation.ts";
import { FullName, Password, User } from "../people/people.ts";
import { allRoles } from "../roles.ts";
import { Phone, text } from "../values.ts";

const MAX_STEPS = 50;
/** Onboarding steps with their results: names and values are chosen by the caller. */
const OnboardingSteps = z
  .record(text(1, 80), z.union([z.boolean(), text(0, 200), z.number()]))
  .refine((steps) => Object.keys(steps).length <= MAX_STEPS, { params: { code: "too_long" }, message: `steps can have at most ${MAX_STEPS} members.` });

export const me = operationGroup("Auth", "identity", {
  updateMe: {
    method: "PATCH",
    path: "/api/auth/me",
    summary: "change their own name and language",
    access: allRoles,
    body: body({
      fullName: FullName.describe("Full name of the user."),
      locale: text(2, 32).describe("Language and region of the user as a language tag, such as `en-US`."),
    }).partial(),
    response: { user: User },
    errors: [404, 412],
  },
  changeMyPhone: {
    method: "PATCH",
    path: "/api/auth/me/phone",
    summary: "change their own phone number",
    access: allRoles,
    description:
      "The number is returned in E.164 format. Consent to text messages applies to the previous number only, so it ends with the change; a withdrawal remains.",
    body: body({
      phone: Phone.describe("New phone number of the user. Numbers without a country code are US numbers."),
    }),
    response: { user: User },
    errors: [404, 412],
  },
  changeMyConsent: {
    method: "PATCH",
    path: "/api/auth/me/consent",
    summary: "change their own consent to messages",
    access: allRoles,
    description:
      "Every consent that is sent is stored as an append-only consent record with its time, network address and `source`. " +
      "Consent to text messages to a phone number that has stopped them with STOP returns 409 `invalid_transition`: only START, sent from the number, allows them again.",
    body: body({
      smsConsent: z.boolean().describe("Consent to text messages: `true` gives it, `false` withdraws it. Unchanged when omitted."),
      emailConsent: z
        .boolean()
        .describe(
          "Consent to e-mail messages: `true` gives it, `false` withdraws it: blasts, notifications and owner statements are then no longer sent by e-mail, only conversations, invites and e-mails of the account. Unchanged when omitted.",
        ),
      source: text(1, 80).describe("Page or form on which the user made the choice. Default: `account`."),
    }).partial(),
    response: { user: User },
    errors: [404, 409, 412],
  },
  changeMyPassword: {
    method: "POST",
    path: "/api/auth/me/password",
    summary: "change their own password",
    access: allRoles,
    description: "Ends every other session of the user. A wrong `currentPassword` returns 400 with the code `mismatch` and counts as a failed sign-in attempt.",
    body: body({
      currentPassword: Password.describe("Current password of the user."),
      newPassword: Password.describe("New password of the user. Must not be one of the most common passwords."),
    }),
    response: { user: User },
    errors: [404],
  },
  completeOnboarding: {
    method: "POST",
    path: "/api/auth/onboarding/complete",
    summary: "complete their own onboarding",
    access: allRoles,
    description: "Can be called once; a second call returns 409. The first admin to complete the onboarding also completes that of the organization.",
    body: body({
      steps: OnboardingSteps.optional().describe("Completed steps with their results, at most 50. Stored in the audit log."),
    }),
    response: { user: User },
    errors: [404, 409],
  },
});
