import { describe, expect, it } from 'vitest';
import { counter } from '../../../src/base/metric.js';
import { Exporter } from '../../../src/services/metrics/exporter.js';
import { metricSource } from '../../../src/services/metrics/source.js';

describe('an exporter', () => {
  it('writes plain text and OpenMetrics, both with the same numbers', async () => {
    let frames = 0;
    const source = metricSource({ frames: counter('frames', 'Frames that came') }, () => ({ frames: ++frames }));
    const exporter = new Exporter([source], '1.2.3');
    const plain = await exporter.scrape(false);
    expect(plain.contentType).toContain('version=0.0.4');
    expect(plain.text).toContain(
      '# HELP xpass_frames_total Frames that came\n# TYPE xpass_frames_total counter\nxpass_frames_total 1\n',
    );
    expect(plain.text).toContain(`xpass_build_info{version="1.2.3",node="${process.versions.node}"} 1\n`);
    const open = await exporter.scrape(true);
    expect(open.contentType).toContain('application/openmetrics-text');
    expect(open.text).toContain('# TYPE xpass_frames counter\nxpass_frames_total 2\n');
    expect(open.text).toMatch(/\n# TYPE process_cpu_seconds counter\nprocess_cpu_seconds_total [\d.]+\n/);
    expect(open.text.endsWith('# EOF\n')).toBe(true);
  });
});
