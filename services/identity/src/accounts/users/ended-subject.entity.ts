import { defineEntity, inOrganization, p } from "@freehold/kit/db/entity";

const EndedSubjectSchema = defineEntity({
  name: "EndedSubject",
  tableName: "ended_subject",
  ...inOrganization,
  properties: { organizationId: p.uuid().primary(), id: p.uuid().primary(), mergedIntoId: p.uuid().nullable(), endedAt: p.datetime(3) },
});

/** Tenant, owner or vendor that was deleted, or merged into another tenant, as portfolio has published. Its portal user stays inactive or gets the other tenant. */
export class EndedSubject extends EndedSubjectSchema.class {}
EndedSubjectSchema.setClass(EndedSubject);
