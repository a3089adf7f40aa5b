/** Operations that the API has whatever the contract of this project lists. */
import { describe, expect, test } from "@jest/globals";
import { operationsByName } from "./served-document.ts";

describe("the API", () => {
  const requiredOperations = `
    POST /api/auth/signup
    POST /api/auth/login
    POST /api/auth/token
    POST /api/auth/logout
    GET /api/auth/me
    PATCH /api/auth/me
    PATCH /api/auth/me/phone
    PATCH /api/auth/me/consent
    POST /api/auth/me/password
    POST /api/auth/onboarding/complete
    POST /api/auth/password-reset/request
    POST /api/auth/password-reset/confirm
    POST /api/auth/email/confirm
    POST /api/auth/email/resend
    GET /api/auth/sessions
    DELETE /api/auth/sessions/{id}
    GET /api/i/{shortCode}
    GET /api/auth/invites/{token}
    POST /api/auth/invites/{token}/accept
    GET /.well-known/jwks.json
    GET /api/accounts/current
    PATCH /api/accounts/current
    GET /api/accounts/users
    POST /api/accounts/users
    GET /api/accounts/users/{id}
    PATCH /api/accounts/users/{id}
    DELETE /api/accounts/users/{id}
    POST /api/accounts/users/{id}/resend-invite
    GET /api/accounts/current/audit-log
    GET /api/accounts/service-keys
    POST /api/accounts/service-keys
    POST /api/accounts/service-keys/{id}/rotate
    DELETE /api/accounts/service-keys/{id}
    GET /api/properties
    POST /api/properties
    GET /api/properties/{id}
    PATCH /api/properties/{id}
    DELETE /api/properties/{id}
    POST /api/units
    GET /api/units
    GET /api/units/{id}
    PATCH /api/units/{id}
    POST /api/owners
    GET /api/owners
    GET /api/owners/{id}
    DELETE /api/owners/{id}
    POST /api/tenants
    GET /api/tenants
    GET /api/tenants/{id}
    POST /api/vendors
    GET /api/vendors
    GET /api/vendors/{id}
    POST /api/leases
    GET /api/leases
    GET /api/leases/{id}
    POST /api/leases/{id}/activate
    POST /api/leases/{id}/renew
    POST /api/leases/{id}/terminate
    GET /api/leases/{leaseId}/occupants
    POST /api/tenant-invites
    POST /api/tenant-invites/{id}/revoke
    POST /api/notes
    GET /api/notes
    GET /api/accounting/categories
    POST /api/accounting/journal-entries
    GET /api/accounting/journal-entries
    GET /api/accounting/journal-entries/{id}
    POST /api/accounting/journal-entries/{id}/post
    POST /api/accounting/journal-entries/{id}/reverse
    GET /api/accounting/trial-balance
    GET /api/accounting/category-rollups
    POST /api/charges
    GET /api/charges
    GET /api/charges/{id}
    POST /api/charges/{id}/void
    POST /api/charges/post-due
    POST /api/recurring-charges
    GET /api/recurring-charges
    GET /api/recurring-charges/{id}
    POST /api/recurring-charges/{id}/pause
    POST /api/recurring-charges/{id}/resume
    POST /api/payments
    GET /api/payments
    GET /api/payments/{id}
    PUT /api/payments/{id}
    POST /api/payments/{id}/allocate
    POST /api/payments/{id}/reverse
    GET /api/notifications
    GET /api/notifications/{id}
    POST /api/notifications/{id}/read
    GET /api/import-bundles/templates/{provider}
    GET /api/events/stream
    GET /api/health
    GET /api/version`
    .trim()
    .split(/\n\s*/);

  test.each(requiredOperations)("has %s", (name) => {
    expect(operationsByName[name]).toBeDefined();
  });
});
