export { amounts as amountsWords } from './budget.words.js';
export { describeEvent, describeReport, reasonWords } from './describe.js';
export { count, place, tail, time, type WordsFor } from './phrases.js';
export { describeWait } from './wait.words.js';
