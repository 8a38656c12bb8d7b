// Loaded in front of a program (`node --import`): on SIGUSR2 its clocks jump by XPASS_STEP_MS, the one of the day, or all with XPASS_STEP_ALL. A
// machine whose day is set
// has the first; one that slept, or was moved to another host, the second.
const stepMs = Number(process.env.XPASS_STEP_MS);
const isAll = process.env.XPASS_STEP_ALL === '1';
const [date, monotonic] = [Date.now.bind(Date), performance.now.bind(performance)];
let offsetMs = 0;

Date.now = () => date() + offsetMs;
if (isAll) performance.now = () => monotonic() + offsetMs;
process.on('SIGUSR2', () => {
  offsetMs += stepMs;
});
