// Tested by test/apps/figures/catalogue.test.ts

/** What stands side by side on this page, ours first. */
export const LAWS = ['steady', 'leaning', 'expresspass', 'expresspass-ns2', 'ec4', 'spraypass', 'dctcp'] as const;
export type Law = (typeof LAWS)[number];
/** What the goals are for. */
export const OURS: Law = 'steady';
export const OTHERS = LAWS.filter((law) => law !== OURS);
export const BESIDE = 'Nothing is claimed of it; it stands beside ours.';
