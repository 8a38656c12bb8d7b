// Tested by test/loopback/live-page.test.ts
/** Sliders and buttons that change the process: labelled, with their values in words, by mouse and by keyboard. */
import { displayDuration, displayPercent, displayRate } from '../base/display.js';
import type { LiveCommand, LiveDirection, LiveScene } from '../report/live-data.js';

/** Every link at once. */
const ALL = '';
/** A slider that is dragged says where it is this often at most (ours), ms. */
const SETTLE_MS = 150;

interface SliderOptions {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** What a place on the slider means, in words. */
  inWords(place: number): string;
  send(place: number): void;
}

class Slider {
  readonly element = document.createElement('div');
  private readonly input = document.createElement('input');
  private readonly output = document.createElement('output');
  private readonly options: SliderOptions;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SliderOptions) {
    const { label, min, max, step } = options;
    this.options = options;
    const id = `set-${label.toLowerCase()}`;
    Object.assign(this.input, { type: 'range', id, min, max, step });
    const name = document.createElement('label');
    name.htmlFor = id;
    name.append(label, this.output);
    this.element.className = 'control';
    this.element.append(name, this.input);
    this.input.addEventListener('input', () => {
      this.say();
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.timer = undefined;
        options.send(this.input.valueAsNumber);
      }, SETTLE_MS);
    });
  }

  set isAllowed(allowed: boolean) {
    this.input.disabled = !allowed;
  }

  set most(max: number) {
    this.input.max = String(max);
  }

  /** The process says so; what the reader is about to set stays. */
  show(place: number): void {
    if (this.timer !== undefined) return;
    this.input.value = String(place);
    this.say();
  }

  private say(): void {
    const words = this.options.inWords(this.input.valueAsNumber);
    this.output.textContent = words;
    this.input.setAttribute('aria-valuetext', words);
  }
}

/** Rates from 1 Mbit/s to 10 Gbit/s and delays from 10 us to 1 s, evenly by their logarithm; the last place of a rate is none. */
const RATE = { least: 1e6, most: 10e9 };
const DELAY = { least: 10e3, most: 1e9 };
const PLACES = 80;
/** Loss in steps of 0.1 %, to 20 % (ours: beyond, nothing is to be seen any more). */
const LOSS_PLACES = 200;

function spread({ least, most }: typeof RATE, place: number): number {
  const value = least * (most / least) ** (place / PLACES);
  return Number(value.toPrecision(2));
}

function placeOf({ least, most }: typeof RATE, value: number): number {
  return Math.round((PLACES * Math.log(Math.max(value, least) / least)) / Math.log(most / least));
}

const rateOf = (place: number): number | null => (place > PLACES ? null : spread(RATE, place));
const delayOf = (place: number): number => (place === 0 ? 0 : spread(DELAY, place - 1));

export class Controls {
  private readonly target: HTMLElement;
  private readonly send: (command: LiveCommand) => void;
  private readonly link = selectOf('Link');
  private readonly algorithm = selectOf('Algorithm');
  private readonly sliders: { rate: Slider; delay: Slider; loss: Slider; senders: Slider };
  private readonly down = document.createElement('button');
  private scene: LiveScene | null = null;
  private shape = '';

  constructor(target: HTMLElement, send: (command: LiveCommand) => void) {
    this.target = target;
    this.send = send;
    const set = (changes: Record<string, unknown>): void => this.setLinks(changes);
    const slider = (label: string, max: number, rest: Pick<SliderOptions, 'inWords' | 'send'>): Slider =>
      new Slider({ label, min: 0, max, step: 1, ...rest });
    this.sliders = {
      rate: slider('Rate', PLACES + 1, { inWords: rateWords, send: (at) => set({ rateBps: rateOf(at) }) }),
      delay: slider('Delay', PLACES + 1, {
        inWords: (at) => displayDuration(delayOf(at)),
        send: (at) => set({ delayNs: delayOf(at) }),
      }),
      loss: slider('Loss', LOSS_PLACES, {
        inWords: (at) => displayPercent(at / 1e3),
        send: (at) => set({ lossRate: at / 1e3 }),
      }),
      senders: slider('Senders', 1, { inWords: String, send: (count) => send({ verb: 'senders', count }) }),
    };
    this.link.select.addEventListener('change', () => this.refresh());
    this.algorithm.select.addEventListener('change', () =>
      send({ verb: 'algorithm', name: this.algorithm.select.value }),
    );
    this.down.type = 'button';
    this.down.addEventListener('click', () => set({ down: !this.chosen.every(({ isDown }) => isDown) }));
  }

  show(scene: LiveScene, isAllowed: boolean): void {
    this.scene = scene;
    this.build(scene);
    const { controls } = scene;
    if (controls.senders !== null) {
      this.sliders.senders.most = controls.senders.most;
      this.sliders.senders.show(controls.senders.count);
    }
    if (controls.algorithm !== null) {
      fill(
        this.algorithm.select,
        controls.algorithm.names.map((name) => [name, name]),
      );
      this.algorithm.select.value = controls.algorithm.name;
    }
    this.refresh();
    for (const slider of Object.values(this.sliders)) slider.isAllowed = isAllowed;
    this.down.disabled = this.algorithm.select.disabled = !isAllowed;
  }

  /** Only when what there is has changed: an element in use keeps its focus. */
  private build({ controls, directions }: LiveScene): void {
    const names = [...new Set(directions.map(({ link }) => link))];
    const shape = JSON.stringify([names, controls.links, controls.senders !== null, controls.algorithm?.names]);
    if (shape === this.shape) return;
    this.shape = shape;
    const { rate, delay, loss, senders } = this.sliders;
    const ends = new Map(directions.map(({ link, from, to }) => [link, `${link}: ${from} - ${to}`]));
    fill(this.link.select, [[ALL, 'all links'], ...names.map((name) => [name, ends.get(name) ?? name] as const)]);
    const own = [
      ...(controls.senders === null ? [] : [senders.element]),
      ...(controls.algorithm === null ? [] : [this.algorithm.element]),
      ...(controls.links ? [this.link.element, rate.element, delay.element, loss.element, this.down] : []),
    ];
    const hint = document.createElement('p');
    hint.className = 'hint';
    hint.textContent = 'This process lets nothing be changed from here.';
    this.target.replaceChildren(...(own.length === 0 ? [hint] : own));
  }

  private get chosen(): LiveDirection[] {
    const name = this.link.select.value;
    return (this.scene?.directions ?? []).filter(({ link }) => name === ALL || link === name);
  }

  private refresh(): void {
    const [first] = this.chosen;
    if (first === undefined) return;
    this.sliders.rate.show(first.rateBps === null ? PLACES + 1 : placeOf(RATE, first.rateBps));
    this.sliders.delay.show(first.delayNs === 0 ? 0 : placeOf(DELAY, first.delayNs) + 1);
    this.sliders.loss.show(Math.round(first.lossRate * 1e3));
    const isDown = this.chosen.every((direction) => direction.isDown);
    this.down.textContent = `${isDown ? 'Bring up' : 'Take down'} ${this.link.select.selectedOptions[0]?.text ?? ''}`;
  }

  private setLinks(changes: Record<string, unknown>): void {
    for (const link of new Set(this.chosen.map((direction) => direction.link)))
      this.send({ verb: 'set', link, changes });
  }
}

function rateWords(place: number): string {
  const rateBps = rateOf(place);
  return rateBps === null ? 'unlimited' : displayRate(rateBps);
}

function selectOf(label: string): { element: HTMLElement; select: HTMLSelectElement } {
  const element = document.createElement('div');
  const [name, select] = [document.createElement('label'), document.createElement('select')];
  name.htmlFor = select.id = `choose-${label.toLowerCase()}`;
  name.textContent = label;
  element.className = 'control';
  element.append(name, select);
  return { element, select };
}

function fill(select: HTMLSelectElement, options: readonly (readonly [value: string, text: string])[]): void {
  if (options.length === select.options.length && options.every(([value], at) => select.options[at].value === value))
    return;
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
}
