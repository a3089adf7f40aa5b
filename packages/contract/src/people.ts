/** Users and the answer to every kind of signing in. */
import { z } from "zod";
import { roles } from "./roles.ts";
import { Email, Id, Instant, text } from "./values.ts";

const Consent = z.strictObject({ granted: z.boolean(), at: Instant.nullable() });

export const User = z
  .strictObject({
    id: Id,
    organizationId: Id,
    email: Email,
    fullName: z.string(),
    phone: z.string().nullable(),
    role: z.enum(roles),
    subjectId: Id.nullable().meta({ description: "The tenant, owner or vendor that a portal user is." }),
    isActive: z.boolean(),
    emailConfirmedAt: Instant.nullable(),
    onboardingCompletedAt: Instant.nullable(),
    locale: z.string(),
    smsConsent: Consent,
    emailConsent: Consent,
    lastLoginAt: Instant.nullable(),
    createdAt: Instant,
    deletedAt: Instant.nullable(),
  })
  .meta({ id: "User", description: "A person who can sign in to one organization." });
export type User = z.output<typeof User>;

export const Password = z.string().min(8).max(128).meta({ description: "A new one is refused when it is one of the most used passwords." });
export const FullName = text(1, 160);

/** The answer to signing in, in any way. The refresh token travels in the cookie `service_refresh_token`. */
export const authResult = {
  accessToken: z.string(),
  tokenType: z.literal("Bearer"),
  expiresIn: z.literal(900),
  user: User,
  organization: z.strictObject({ id: Id, name: z.string(), slug: z.string(), timezone: z.string() }),
};

const taxIdTypes = ["ssn", "ein"] as const;

/** What is answered of the tax id of an owner or a vendor, and what is taken in. */
export const taxId = {
  members: {
    taxIdType: z.enum(taxIdTypes).nullable(),
    taxIdLast4: z.string().nullable().meta({ description: "The number itself is kept encrypted and never answered." }),
  },
  terms: {
    taxIdType: z.enum(taxIdTypes).nullable(),
    taxId: z
      .string()
      .trim()
      .max(11)
      .nullable()
      .meta({ description: "Nine digits, `123-45-6789` or `12-3456789`. Sent together with `taxIdType`; both null forget it." }),
  },
};

/** How a message was handed over: `sent`, `queued`, `skipped` or `failed`. */
export const Delivery = z
  .strictObject({ provider: z.string(), status: z.string(), messageId: z.string().optional(), error: z.string().optional() })
  .meta({ id: "Delivery" });
export type Delivery = z.output<typeof Delivery>;

export const channels = ["email", "sms"] as const;
