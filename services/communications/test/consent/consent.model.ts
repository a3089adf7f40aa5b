/** Model of consent: who may be sent what, by the decisions in their order. It knows nothing of the code that it judges. */

interface Decision {
  isGranted: boolean;
  /** Position among all decisions. */
  order: number;
}

/** Tenant with an own number, and the portal user, if any. Consent to text messages is for one number. */
export interface ModelTenant {
  id: string;
  phone: string;
  /** Last decision on `phone`, recorded by the office or made in the account. */
  recorded?: Decision;
  user?: ModelUser;
}

export interface ModelUser {
  id: string;
  phone?: string;
  /** Decision on text messages to the user's own number. A withdrawal is meant for the recorded number, too. */
  sms?: Decision;
  hasWithdrawnEmail: boolean;
}

export class ConsentModel {
  readonly tenants = new Map<string, ModelTenant>();
  readonly stopped = new Set<string>();
  #decisions = 0;

  readonly decide = (isGranted: boolean): Decision => ({ isGranted, order: (this.#decisions += 1) });

  changePhone(tenant: ModelTenant, phone: string): void {
    tenant.phone = phone;
    delete tenant.recorded;
    this.#recordOwn(tenant);
  }

  decideOwn(user: ModelUser, isGranted: boolean): void {
    user.sms = this.decide(isGranted);
    this.#recordOwn(this.tenantOf(user.id)!);
  }

  /** A decision in the account counts for the recorded number: consent to this number, and each withdrawal. */
  #recordOwn(tenant: ModelTenant): void {
    const { phone, recorded, user } = tenant;
    if (user?.sms && (!user.sms.isGranted || user.phone === phone) && user.sms.order > (recorded?.order ?? 0)) tenant.recorded = user.sms;
  }

  changeUserPhone(user: ModelUser, phone: string): void {
    user.phone = phone;
    if (user.sms?.isGranted) delete user.sms;
  }

  /** The duplicate is gone; its portal user and, for the same number, its later decision belong to the survivor. */
  merge(survivor: ModelTenant, duplicate: ModelTenant): void {
    const { phone, recorded } = duplicate;
    if (phone === survivor.phone && recorded && recorded.order > (survivor.recorded?.order ?? 0)) survivor.recorded = recorded;
    if (duplicate.user) survivor.user = duplicate.user;
    this.#recordOwn(survivor);
    this.tenants.delete(duplicate.id);
  }

  /** Tells whether a text message to a number may be sent to a tenant: the latest decision on the number grants it, and no STOP ended it. */
  permitsSms(tenantId: string, number: string): boolean {
    const tenant = this.tenants.get(tenantId);
    if (!tenant || this.stopped.has(number)) return false;
    const { phone, recorded, user } = tenant;
    const concerned = user?.sms && (user.phone === number || (!user.sms.isGranted && phone === number)) ? [user.sms] : [];
    const latest = [...(recorded && phone === number ? [recorded] : []), ...concerned].toSorted((one, other) => other.order - one.order)[0];
    return latest?.isGranted ?? false;
  }

  /** Tells whether an e-mail of a blast or notification may be sent to a tenant. */
  permitsEmail(tenantId: string): boolean {
    const tenant = this.tenants.get(tenantId);
    return tenant !== undefined && !tenant.user?.hasWithdrawnEmail;
  }

  tenantOf(userId: string): ModelTenant | undefined {
    return [...this.tenants.values()].find(({ user }) => user?.id === userId);
  }
}
