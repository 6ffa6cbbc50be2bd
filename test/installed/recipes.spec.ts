import { describe, expect, it } from 'vitest';
import { onPlainNest, onTheService, type Recipe } from './applications.js';
import { recipes } from './recipes.js';
import { security } from './security-recipes.js';
import { techniques } from './techniques.js';

// Not run here are pages about CQRS, authorization, CORS, the logger, compression, validation and versioning, whose suites
// stand in test/contract/ordinary-nest and beside the source; those that need servers (MongoDB, Redis, Discord), binaries
// (MikroORM, Prisma, Sequelize, of which TypeORM is tried) or another version of Nest (Sentry); and those that do not
// touch an application (CRUD generator, documentation, hot reload, SWC, hashing).
const all: Record<string, Recipe> = { ...recipes, ...techniques, ...security };

// Bounds hangs.
const TIMEOUT_MS = 60_000;

describe('D83 recipes of the documentation of Nest', { timeout: TIMEOUT_MS }, () => {
  it.each(Object.keys(all))('%s works as on plain Nest', async (page) => {
    const plain = await onPlainNest(all[page]);
    expect(JSON.stringify(plain)).not.toContain('Cannot GET');
    expect(await onTheService(all[page])).toEqual(plain);
  });
});
