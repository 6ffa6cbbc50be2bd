import { init } from 'echarts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cost, Curve, Point } from './curves';

const DIRECTORY = join(__dirname, '../../docs/performance');
const WIDTH = 920;
const HEIGHT = 380;
/** Told apart without their colours, too, by the shape of the marks. */
const LINES = [
  { name: 'service', key: 'service', color: '#0b5fa5', symbol: 'circle' },
  { name: 'hand-written', key: 'handWritten', color: '#c2410c', symbol: 'rect' },
] as const;
const PANELS = [
  { title: 'requests per second', left: 70, value: (cost: Cost): number | null => Math.round(cost.rate) },
  { title: 'µs of processor time per request', left: 540, value: (cost: Cost): number | null => cost.cpuMicros && Math.round(cost.cpuMicros) },
] as const; // prettier-ignore

/** Writes a picture of each curve: rates on the left, processor time on the right. */
export function draw(curves: readonly Curve[]): void {
  mkdirSync(DIRECTORY, { recursive: true });
  for (const curve of curves) writeFileSync(join(DIRECTORY, `${curve.name}.svg`), svg(curve));
}

function svg(curve: Curve): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  chart.setOption(optionsOf(curve));
  const text = chart.renderToSVGString();
  chart.dispose();
  return `${text}\n`;
}

function optionsOf({ title, xTitle, stepwise, points }: Curve): Parameters<ReturnType<typeof init>['setOption']>[0] {
  return {
    animation: false,
    backgroundColor: '#ffffff',
    textStyle: { fontFamily: 'sans-serif', color: '#1f2328' },
    title: { text: title, left: 'center', top: 8, textStyle: { fontSize: 16 } },
    legend: { top: 36, data: LINES.map(({ name }) => name) },
    grid: PANELS.map(({ left }) => ({ left, top: 104, width: 350, height: 210 })),
    xAxis: PANELS.map((_, gridIndex) => ({
      gridIndex,
      type: stepwise ? 'category' : 'value',
      ...(stepwise ? { data: points.map(({ x }) => String(x)) } : { min: 0 }),
      name: xTitle,
      nameLocation: 'middle',
      nameGap: 30,
    })),
    yAxis: PANELS.map(({ title: name }, gridIndex) => ({
      gridIndex, type: 'value', min: 0, name, nameGap: 16, nameTextStyle: { align: 'left' },
    })), // prettier-ignore
    series: PANELS.flatMap(({ value }, panel) =>
      LINES.map(({ name, key, color, symbol }) => ({
        name,
        type: 'line',
        xAxisIndex: panel,
        yAxisIndex: panel,
        symbol,
        symbolSize: 8,
        color,
        data: points.map((point: Point) => (stepwise ? value(point[key]) : [point.x, value(point[key])])),
      })),
    ),
  };
}
