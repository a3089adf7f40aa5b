/** User roles, and the groups of roles that operations grant access to. */
export const roles = ["admin", "manager", "staff", "tenant", "owner", "vendor"] as const;
export type Role = (typeof roles)[number];

export const admins = ["admin"] as const;
export const adminsAndManagers = ["admin", "manager"] as const;
export const officeRoles = ["admin", "manager", "staff"] as const;
/** Roles of portal users, named like the records that they belong to. */
export const portalRoles = ["tenant", "owner", "vendor"] as const;
export type PortalRole = (typeof portalRoles)[number];
export const isPortalRole = (role: string): role is PortalRole => (portalRoles as readonly string[]).includes(role);
export const allRoles = [...roles] as const;

const plural: Record<Role, string> = {
  admin: "admins",
  manager: "managers",
  staff: "staff",
  tenant: "tenants",
  owner: "owners",
  vendor: "vendors",
};

/** Returns the message of a 403 response: `Only admins or managers can record payments.` */
export function roleRequirement(access: readonly Role[], summary: string): string {
  const names = access.map((role) => plural[role]);
  const list = names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${names.at(-1)}` : names[0];
  return `Only ${list} can ${summary}.`;
}
