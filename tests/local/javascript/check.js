// Compares the module with the golden vectors, in whatever runs it; returns a sentence.
export function check(privet, vectors) {
  const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  const hex = (array) => Array.from(array, (byte) => byte.toString(16).padStart(2, "0")).join("");
  let wrong = 0;
  for (const each of vectors) {
    const random = new privet.Random(bytes(each.random));
    if (each.report === undefined) {
      const told = privet.instruct(each.config, random);
      const says = [false, true].map((truth) => privet.answer(each.config, truth, new privet.Random(bytes(each.random))));
      if (told !== each.instruction || says.join() !== each.answers.join()) wrong += 1;
    } else if (hex(privet.report(each.config, each.value, random)) !== each.report) wrong += 1;
    if (random.used !== each.random.length / 2) wrong += 1;
  }
  const binary = vectors[0].config;
  let yes = 0;
  for (let turn = 0; turn < 4000; turn += 1) yes += privet.report(binary, true)[0];
  if (Math.abs(yes / 4000 - binary.yes_of_yes / binary.whole) > 0.05) wrong += 1; // seven deviations
  for (const value of [2, "yes", null]) {
    try {
      privet.report(binary, value);
      wrong += 1;
    } catch (problem) {
      if (!String(problem).includes("true or false")) wrong += 1;
    }
  }
  return `${vectors.length} vectors, ${wrong} wrong`;
}
