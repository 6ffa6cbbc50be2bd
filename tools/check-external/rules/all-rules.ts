import type { Rule } from '../rule';
import { BODY_RULES } from './bodies';
import { FILTER_RULES } from './filters';
import { LOAD_RULES } from './load';
import { LOOKUP_RULES } from './lookups';
import { OBSERVATION_RULES } from './observations';
import { PAGING_RULES } from './paging';
import { SORTING_RULES } from './sorting';

/** Every rule, in the order of the check: a rule comes after those that it needs. */
export const ALL_RULES: readonly Rule[] = [
  ...BODY_RULES,
  ...FILTER_RULES,
  ...LOOKUP_RULES,
  ...PAGING_RULES,
  ...SORTING_RULES,
  ...LOAD_RULES,
  ...OBSERVATION_RULES,
];
