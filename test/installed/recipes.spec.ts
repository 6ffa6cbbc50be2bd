import { describe, expect, it } from 'vitest';
import { onPlainNest, onTheService, type Recipe } from './applications.js';
import { recipes } from './recipes.js';
import { security } from './security-recipes.js';
import { techniques } from './techniques.js';

/** Pages that are not run here, with the reason: no recipe is tried twice. */
const NOT_RUN = {
  'recipes/cqrs': 'test/contract/ordinary-nest/composition',
  'recipes/crud-generator': 'a command that writes files of Nest alone',
  'recipes/documentation': 'a program that reads sources',
  'recipes/hot-reload': 'a server of webpack, which closes and starts the application as tests do',
  'recipes/mikroorm': 'its drivers are binaries; sql-typeorm stands for databases',
  'recipes/mongodb': 'needs a MongoDB server',
  'recipes/necord': 'needs the servers of Discord',
  'recipes/prisma': 'its client is made by a downloaded binary; sql-typeorm stands for databases',
  'recipes/sentry': 'its package accepts no Nest 12',
  'recipes/sql-sequelize': 'its drivers are binaries; sql-typeorm stands for databases',
  'recipes/swc': 'the tests of the application for Jest are compiled by swc',
  'security/authorization': 'test/contract/ordinary-nest/team-modules',
  'security/cors': 'test/contract/ordinary-nest/team-modules',
  'security/encryption-hashing': 'functions of Node alone',
  'techniques/compression': 'test/contract/ordinary-nest/prefix-and-pages',
  'techniques/logger': 'src/observability/logging',
  'techniques/mongo': 'needs a MongoDB server',
  'techniques/queues': 'needs a Redis server',
  'techniques/sql': 'recipes/sql-typeorm',
  'techniques/validation': 'test/contract/ordinary-nest/parameters',
  'techniques/versioning': 'test/contract/ordinary-nest/prefix-and-pages',
};

const all: Record<string, Recipe> = { ...recipes, ...techniques, ...security };

// Bounds hangs.
const TIMEOUT_MS = 60_000;

describe('D83 recipes of the documentation of Nest', { timeout: TIMEOUT_MS }, () => {
  it.each(Object.keys(all))('%s works as on plain Nest', async (page) => {
    const plain = await onPlainNest(all[page]);
    expect(JSON.stringify(plain)).not.toContain('Cannot GET');
    expect(await onTheService(all[page])).toEqual(plain);
  });

  it('has each page of recipes, techniques and security once', () => {
    const pages = [...Object.keys(NOT_RUN), ...Object.keys(all)];
    expect([pages.length, new Set(pages).size]).toEqual([pages.length, pages.length]);
    expect(pages.filter((page) => /^(recipes|techniques|security)\//.test(page))).toHaveLength(47);
  });
});
