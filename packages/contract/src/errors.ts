/** Body of error responses, the closed list of their codes, and the codes of field errors. */
import { z } from "zod";

export const errorCodes = [
  "validation_failed",
  "malformed_json",
  "page_required",
  "unsupported_file",
  "file_too_large",
  "payload_too_large",
  "token_missing",
  "token_invalid",
  "token_expired",
  "credentials_invalid",
  "refresh_invalid",
  "refresh_reused",
  "refresh_recently_rotated",
  "signature_invalid",
  "role_forbidden",
  "scope_forbidden",
  "email_unconfirmed",
  "organization_suspended",
  "onboarding_required",
  "not_found",
  "system_managed",
  "invalid_transition",
  "payment_immutable",
  "resource_in_use",
  "duplicate",
  "lease_overlap",
  "period_closed",
  "already_reversed",
  "already_allocated",
  "insufficient_trust_funds",
  "would_overdraw_ledger",
  "reconciliation_out_of_balance",
  "reconciled_transaction",
  "idempotency_key_reused",
  "bundle_not_ready",
  "import_running",
  "last_admin",
  "lease_not_active",
  "online_payments_not_configured",
  "version_conflict",
  "email_account_not_verified",
  "integration_not_connected",
  "owner_bank_details_missing",
  "recipient_address_missing",
  "sms_consent_missing",
  "address_suppressed",
  "rate_limited",
  "internal",
  "provider_failed",
  "not_configured",
  "service_unavailable",
  "idempotency_in_progress",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

export const fieldErrorCodes = [
  "required",
  "unrecognized_key",
  "type",
  "format",
  "min",
  "max",
  "too_short",
  "too_long",
  "enum",
  "unique",
  "not_found",
  "mismatch",
  "sum_exceeded",
  "not_allowed",
  "before_start",
  "overlap",
  "control_account",
  "unexpected",
] as const;
export type FieldErrorCode = (typeof fieldErrorCodes)[number];

export const FieldError = z
  .strictObject({
    path: z.string().describe("Path of the invalid member in the body, with dots (`lines.0.accountId`), or the name of the query or path parameter."),
    code: z.enum(fieldErrorCodes).describe("Machine-readable reason for which the field is refused."),
    message: z.string().describe("Sentence that names the field and the remedy, suitable for display."),
  })
  .meta({ id: "FieldError", description: "Error in one field of a request, or in one field of an imported row." });
export type FieldError = z.output<typeof FieldError>;

export const ErrorBody = z
  .strictObject({
    message: z.string().describe("Human-readable sentence that explains the error. Generic for statuses of 500 and above."),
    code: z.enum(errorCodes).optional().describe("Machine-readable error code. Absent when the status alone identifies the error."),
    errors: z
      .array(FieldError)
      .optional()
      .describe(
        "Errors by field. Present when the error concerns single fields, or when `organizationId` must be chosen at sign-in: then one error for each organization.",
      ),
  })
  .meta({ id: "ApiError", description: "Body of every error response." });
export type ErrorBody = z.output<typeof ErrorBody>;
