/** State and identity of the records of examples: their ids, the events that have not happened to them, and their status after an operation. */

/** Members that are null until an event, and the beginning of the names of operations that are the event. */
const membersByEvent: readonly (readonly [members: RegExp, operations: RegExp])[] = [
  [/^deleted/, /^delete/],
  [/^void/, /^void/],
  [/^cancel/, /^cancel/],
  [/^revoked/, /^revoke/],
  [/^revers/, /^reverse/],
  [/^(terminat|notice|plannedMoveOut)/, /^(terminate|giveNotice)/],
  [/^(removed|released)/, /^release/],
  [/^moveOut/, /^(release|finalize|refundSecurity|getSecurityDepositDisposition)/],
  [/^disposition$/, /^(finalize|refundSecurity)/],
  [/^renewed/, /^renew/],
  [/^merged/, /^merge/],
  [/^reopen/, /^reopen/],
  [/^closed/, /^close/],
  [/^decision$/, /^resolve/],
  [/^finalized/, /^(finalize|getReconciliationReport)/],
  [/^(completed|started)/, /^(complete|start)/],
  [/^accepted/, /^accept/],
  [/^read/, /^markNotification/],
  // Null in every example.
  [
    /^(error|skipReason|externalId|smsSid|override|movedFrom|lateFeeForCharge|lateFeeCharge|parentId|subjectId|effectiveEnd|managementEnd|deposit(Id|Deadline)|sourceType)/,
    /^$/,
  ],
];

/** Reports whether a nullable member of a response is null in the example of an operation, because its event has not happened. */
export const isNullUntilEvent = (name: string, operationId: string): boolean =>
  membersByEvent.some(([members, operations]) => members.test(name) && !operations.test(operationId));

const statusByVerb: Record<string, string> = {
  softClose: "soft_closed",
  close: "closed",
  reopen: "open",
  void: "voided",
  cancel: "cancelled",
  revoke: "revoked",
  reverse: "reversed",
  terminate: "terminated",
  approve: "approved",
  reject: "rejected",
  complete: "completed",
  start: "in_progress",
  accept: "accepted",
  pause: "paused",
  archive: "archived",
  finalize: "finalized",
  createReconciliation: "draft",
  getReconciliationReport: "finalized",
  copy: "draft",
  createBudget: "draft",
};

/** Returns the status that an operation results in, such as `voided`; undefined if its name does not tell. */
export const resultingStatus = (operationId: string): string | undefined => Object.entries(statusByVerb).find(([verb]) => operationId.startsWith(verb))?.[1];

const ID_PREFIX = "01974b2e-7c1a-7e3f-9b5d-";
const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/** Kinds of record by another name of theirs. */
const kindAliases: Record<string, string> = {
  category: "account",
  file: "document",
  entity: "lease",
  subject: "tenant",
  payer: "tenant",
  participant: "tenant",
  sender: "user",
  actor: "user",
  by: "user",
};

/** Returns the ID of the example record of a kind, such as `lease`: the same wherever a record of the kind occurs. */
export function idOf(kind: string): string {
  const name = kindAliases[kind] ?? kind;
  let hash = FNV_OFFSET;
  for (const character of name) hash = BigInt.asUintN(64, (hash ^ BigInt(character.codePointAt(0)!)) * FNV_PRIME);
  return `${ID_PREFIX}${hash.toString(16).padStart(16, "0").slice(0, 12)}`;
}

/** Returns the kind of record that a member or component names: its last word in the singular: `lease` for `renewedFromLeaseId` and `OwnedLease`, `payment` for `paymentIds`. */
export function kindOf(name: string): string {
  const words = name.replace(/Ids?$/, "").split(/(?=[A-Z])/);
  const last = words.at(-1)!.toLowerCase();
  const kind = last.replace(/ies$/, "y").replace(/(?<=[^s])s$/, "");
  return kindAliases[kind] ?? kind;
}
