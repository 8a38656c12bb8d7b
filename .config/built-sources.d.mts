import type { ViteUserConfig } from 'vitest/config';

export const builtSources: NonNullable<ViteUserConfig['plugins']>[number];
