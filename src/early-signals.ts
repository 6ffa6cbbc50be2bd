import { exitOnSignals } from './common/signals';

// `main.ts` imports this file first, so that signals end the process from its first moment (D27).
exitOnSignals();
