/**
 * Days after a move-out within which states require the disposition of a security deposit. Where the law has several, the fewest are kept, which
 * are in time in every case. Secondary sources conflict with each other, so each row names the statute and is unverified until somebody has
 * read it there.
 */
export interface StatutoryRow {
  state: string;
  days: number;
  /** Range or condition that the source names. */
  note: string | null;
  /** Statute, with the kind of text in which the days were read. */
  source: string;
  /** Day on which the source was read. */
  checkedOn: string;
  isUnverified: boolean;
}

export const statutoryRows: readonly StatutoryRow[] = [
  { state: "AL", days: 35, note: "35 to 60", source: "Ala. Code § 35-9A-201, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  {
    state: "AK",
    days: 14,
    note: "14, or 30 with deductions",
    source: "Alaska Stat. § 34.03.070, by secondary sources",
    checkedOn: "2026-11-20",
    isUnverified: true,
  },
  { state: "AZ", days: 14, note: null, source: "Ariz. Rev. Stat. § 33-1321, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "AR", days: 60, note: null, source: "Ark. Code § 18-16-305, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "CA", days: 21, note: null, source: "Cal. Civ. Code § 1950.5, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  {
    state: "CO",
    days: 30,
    note: "up to 60 by the lease",
    source: "Colo. Rev. Stat. § 38-12-103, by secondary sources",
    checkedOn: "2026-11-20",
    isUnverified: true,
  },
  {
    state: "CT",
    days: 15,
    note: "30, or 15 after the forwarding address",
    source: "Conn. Gen. Stat. § 47a-21, by secondary sources",
    checkedOn: "2026-11-20",
    isUnverified: true,
  },
  { state: "DE", days: 20, note: null, source: "Del. Code tit. 25, § 5514, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "DC", days: 45, note: null, source: "D.C. Mun. Regs. tit. 14, § 309, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  {
    state: "FL",
    days: 15,
    note: "15, or 30 with a notice of deductions",
    source: "Fla. Stat. § 83.49, by secondary sources",
    checkedOn: "2026-11-20",
    isUnverified: true,
  },
  { state: "GA", days: 30, note: null, source: "Ga. Code § 44-7-34, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "HI", days: 14, note: null, source: "Haw. Rev. Stat. § 521-44, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "ID", days: 21, note: "up to 30 by the lease", source: "Idaho Code § 6-321, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "IL", days: 30, note: "30 to 45", source: "765 Ill. Comp. Stat. 710, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "IN", days: 45, note: null, source: "Ind. Code § 32-31-3-12, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "IA", days: 30, note: null, source: "Iowa Code § 562A.12, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "KS", days: 30, note: null, source: "Kan. Stat. § 58-2550, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "KY", days: 30, note: "30 to 60", source: "Ky. Rev. Stat. § 383.580, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "LA", days: 30, note: null, source: "La. Rev. Stat. § 9:3251, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "ME", days: 30, note: null, source: "Me. Stat. tit. 14, § 6033, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "MD", days: 45, note: null, source: "Md. Code, Real Prop. § 8-203, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "MA", days: 30, note: null, source: "Mass. Gen. Laws ch. 186, § 15B, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "MI", days: 30, note: null, source: "Mich. Comp. Laws § 554.609, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "MN", days: 21, note: null, source: "Minn. Stat. § 504B.178, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "MS", days: 45, note: null, source: "Miss. Code § 89-8-21, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "MO", days: 30, note: null, source: "Mo. Rev. Stat. § 535.300, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  {
    state: "MT",
    days: 10,
    note: "30, or 10 without deductions",
    source: "Mont. Code § 70-25-202, by secondary sources",
    checkedOn: "2026-11-20",
    isUnverified: true,
  },
  { state: "NE", days: 14, note: null, source: "Neb. Rev. Stat. § 76-1416, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "NV", days: 30, note: null, source: "Nev. Rev. Stat. § 118A.242, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "NH", days: 30, note: null, source: "N.H. Rev. Stat. § 540-A:7, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "NJ", days: 30, note: null, source: "N.J. Stat. § 46:8-21.1, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "NY", days: 14, note: null, source: "N.Y. Gen. Oblig. Law § 7-108, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "OR", days: 31, note: "other sources: 21", source: "Or. Rev. Stat. § 90.300, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  { state: "TX", days: 30, note: null, source: "Tex. Prop. Code § 92.103, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
  {
    state: "WA",
    days: 21,
    note: "a later change to 30 is reported",
    source: "Wash. Rev. Code § 59.18.280, by secondary sources",
    checkedOn: "2026-11-20",
    isUnverified: true,
  },
  { state: "WV", days: 60, note: null, source: "W. Va. Code § 37-6A-2, by secondary sources", checkedOn: "2026-11-20", isUnverified: true },
];
