/** Users of the demo organization. Their passwords are public. */
export const demoPassword = "freehold-demo";
export const demoLogins = ["admin", "manager", "staff", "tenant", "owner", "vendor"].map((role) => ({ role, email: `${role}@demo.example` }));
