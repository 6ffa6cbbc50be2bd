/** Half a second: by then a system that responds within the wait for a slot has responded once for each slot. */
const ENOUGH_TICKS = 20;
/** The time of fewer releases may be too short to be counted in ticks. */
const ENOUGH_RELEASES = 64;

/**
 * How fast a queue moves: the time of the last releases, some multiple of the number of slots. An upstream often
 * responds in waves, and that time is the same at the beginning and at the end of a wave.
 *
 * Time is counted in ticks of a timer and not in milliseconds: a pause of the process (a long garbage collection) is one
 * tick, and does not look like a slow upstream.
 */
export class DrainRate {
  /** The releases that are looked at, at most. */
  private readonly most: number;
  /** The tick of the start and of the releases after it: a ring. */
  private readonly ticksOfReleases: Float64Array;
  private ticks = 0;
  private releases = 0;

  constructor(private readonly slots: number) {
    this.most = slots * Math.ceil(ENOUGH_RELEASES / slots);
    this.ticksOfReleases = new Float64Array(this.most + 1);
  }

  /** Forgets what was measured. */
  start(): void {
    this.ticks = 0;
    this.releases = 0;
    this.ticksOfReleases[0] = 0;
  }

  tick(): void {
    this.ticks += 1;
  }

  release(): void {
    this.releases += 1;
    this.ticksOfReleases[this.releases % this.ticksOfReleases.length] = this.ticks;
  }

  /** The ticks until that many more releases; 0 while the rate is not known. */
  ticksUntil(releases: number): number {
    const measured = Math.min(this.most, this.releases - (this.releases % this.slots));
    if (measured > 0) {
      return (releases * (this.tickOf(this.releases) - this.tickOf(this.releases - measured))) / measured;
    }
    return this.ticks >= ENOUGH_TICKS ? (releases * this.ticks) / this.releases : 0;
  }

  private tickOf(release: number): number {
    return this.ticksOfReleases[release % this.ticksOfReleases.length] ?? 0;
  }
}
