/** Table of the diagnostics that have been raised. */
import { diagnosticKeys } from "@freehold/contract/trust/diagnostics";
import { defineEntity, enumText, inOrganization, orgColumns, p } from "@freehold/kit/db/entity";

const RaisedDiagnosticSchema = defineEntity({
  name: "RaisedDiagnostic",
  tableName: "raised_diagnostic",
  ...inOrganization,
  uniques: [{ properties: ["organizationId", "key"], name: "raised_diagnostic_once" }],
  properties: { ...orgColumns, key: enumText(diagnosticKeys), isRaised: p.boolean() },
});
/** Diagnostic that had findings at some daily check, and whether it had any at the latest one. */
export class RaisedDiagnostic extends RaisedDiagnosticSchema.class {}
RaisedDiagnosticSchema.setClass(RaisedDiagnostic);
