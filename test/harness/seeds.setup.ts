import fc from 'fast-check';
import { TEST_SEED } from './seeds.js';

// Run before each file of tests: a property without a seed of its own takes that of the run.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: TEST_SEED });
