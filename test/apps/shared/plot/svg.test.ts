import { describe, expect, it } from 'vitest';
import { plainSvg } from '../../../../src/apps/shared/plot/svg.js';

/** As echarts writes it, number `at` of the drawings of a process. */
function drawn(at: number, path = 'M1 2L3.456789 4'): string {
  return `<svg width="640" height="400" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" version="1.1">
<g clip-path="url(#zr${at}-c0)">
<path d="${path}" pointer-events="visible" stroke-width="0.6666666666666666" ecmeta_series_index="0" class="zr${at}-cls-${at + 3}"></path>
</g>
<text>0.123456</text>
<defs >
<clipPath id="zr${at}-c0"></clipPath>
</defs>
<style ><![CDATA[
.zr${at}-cls-${at + 3}:hover {
cursor:pointer;
}
]]>

</style>
</svg>`;
}

describe('a plain SVG', () => {
  it('does not know how many were drawn before it', () => {
    expect(plainSvg(drawn(17), 'a title')).toBe(plainSvg(drawn(0), 'a title'));
  });

  it('has ids that no other drawing has, and uses them', () => {
    const [one, other] = [drawn(0), drawn(0, 'M5 6')].map((svg) => plainSvg(svg, 'a title'));
    const id = /id="([^"]+)"/.exec(one)?.[1];
    expect(id).toMatch(/^p[0-9a-f]{8}-0$/);
    expect(one).toContain(`url(#${id})`);
    expect(other).not.toContain(`"${id}"`);
  });

  it('rounds coordinates to a hundredth of a pixel, and leaves text alone', () => {
    const plain = plainSvg(drawn(0), 'a title');
    expect(plain).toContain('d="M1 2L3.46 4"');
    expect(plain).toContain('stroke-width="0.67"');
    expect(plain).toContain('<text>0.123456</text>');
  });

  it('has neither styles of its own nor attributes for scripts', () => {
    expect(plainSvg(drawn(0), 'a title')).not.toMatch(/<style|class=|ecmeta|pointer-events|xlink|version/);
  });

  it('says its title to a screen reader, as text', () => {
    expect(plainSvg(drawn(0), 'a "b" <c> & d')).toContain('aria-label="a &#34;b&#34; &#60;c&#62; &#38; d"');
  });
});
