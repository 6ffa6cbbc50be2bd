import { findPrograms } from '../../measure/cluster/programs';

describe('the cluster on this machine', () => {
  it('names all programs that are missing, and how to get them', () => {
    expect(() => findPrograms('node', 'no-such-nginx', 'no-such-redis-server')).toThrow(
      'no-such-nginx and no-such-redis-server are missing. On Debian and Ubuntu: apt-get install -y nginx-light redis-server',
    );
    expect(() => findPrograms('no-such-nginx')).toThrow('no-such-nginx is missing.');
  });

  it('finds those that are there', () => {
    expect(findPrograms('node').node).toMatch(/\/node$/);
  });
});
