/** Short tones, made here: no file is fetched. */

/** Of each sound its tones one after another: [frequency in Hz, length in s]. */
const SOUNDS = {
  play: [[660, 0.07]],
  draw: [[330, 0.09]],
  undo: [[440, 0.05], [330, 0.07]],
  refused: [[160, 0.12]],
  won: [[523, 0.11], [659, 0.11], [784, 0.11], [1047, 0.3]],
  over: [[392, 0.16], [294, 0.3]],
};
const LOUD = 0.12;
const RISE = 0.008;

let isOn = false;
let context = null;

export function setSound(on) {
  isOn = on;
}

/** Make a sound, if the player wants any. */
export function sound(name) {
  if (!isOn) return;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  let at = context.currentTime;
  for (const [frequency, length] of SOUNDS[name]) {
    tone(frequency, at, length);
    at += length;
  }
}

function tone(frequency, at, length) {
  const oscillator = new OscillatorNode(context, { type: "triangle", frequency });
  const gain = new GainNode(context, { gain: 0 });
  gain.gain.setValueAtTime(0, at);
  gain.gain.linearRampToValueAtTime(LOUD, at + RISE);
  gain.gain.exponentialRampToValueAtTime(0.001, at + length);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(at);
  oscillator.stop(at + length);
}
