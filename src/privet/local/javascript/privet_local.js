// @ts-check
/**
 * The device side of Privet's local privacy, for browsers and Node: no dependencies, nothing is sent, nothing is stored.
 *
 * `report(config, value)` gives the bytes that may leave a device instead of its value. The configuration is the public
 * one that Python prints (`protocol.config`). Given the same random bytes, both languages give the same report.
 * All decisions are made with whole numbers; random bits come from `crypto.getRandomValues`.
 */

/** @typedef {number | string | boolean} Label */
/**
 * @typedef {object} Config What devices and estimators agree on, as Python's `protocol.config`.
 * @property {string} protocol
 * @property {number} [payload_bytes]
 * @property {number | Label[]} [categories]
 * @property {number} [yes_of_no]
 * @property {number} [yes_of_yes]
 * @property {number} [whole]
 * @property {number} [truth]
 * @property {number} [other]
 * @property {number} [own]
 * @property {number} [chosen]
 * @property {number} [inside]
 * @property {number} [prime]
 */
/**
 * @typedef {object} Instruction What a survey may tell a person to do, unseen by others.
 * @property {string} words
 * @property {number} weight
 * @property {[boolean, boolean]} says What is answered if the truth is no, and if it is yes.
 */
/** @typedef {{protocol: string, instructions: Instruction[]}} SurveyConfig */

const BITS = 52;
const WHOLE = 2 ** BITS;
const REST_BITS = 44;
const MOST_PRIME = 4099; // the first that is not below the 4,096 values that maps are for
const MOST_AT_ONCE = 65536; // bytes that a browser gives in one call

/** Random 64-bit words: from the operating system, or, for tests, from bytes that are given. */
export class Random {
  /** @param {Uint8Array | null} [bytes] For tests only: whoever knows them knows the truth. */
  constructor(bytes = null) {
    this.bytes = bytes;
    this.used = 0;
  }

  /**
   * The next bytes, in whole words of eight.
   * @param {number} words
   * @returns {Uint8Array}
   */
  take(words) {
    const size = 8 * words;
    if (this.bytes !== null) {
      if (this.used + size > this.bytes.length) throw new Error("the random bytes have ended");
      this.used += size;
      return this.bytes.slice(this.used - size, this.used);
    }
    const fresh = new Uint8Array(size);
    for (let start = 0; start < size; start += MOST_AT_ONCE) {
      globalThis.crypto.getRandomValues(fresh.subarray(start, Math.min(start + MOST_AT_ONCE, size)));
    }
    return fresh;
  }

  /**
   * The leading bits of one word, whose first byte is its lowest.
   * @param {number} bits From 1 to 53.
   * @returns {number}
   */
  leading(bits) {
    const view = new DataView(this.take(1).buffer);
    return Number(view.getBigUint64(0, true) >> BigInt(64 - bits));
  }

  /**
   * A uniform whole number; those outside the range are thrown away.
   * @param {number} below From 1 to 2^53.
   * @returns {number}
   */
  uniform(below) {
    if (below === 1) return 0;
    const bits = (BigInt(below) - 1n).toString(2).length;
    for (;;) {
      const number = this.leading(bits);
      if (number < below) return number;
    }
  }

  /**
   * Coins that are true with a probability of weight / 2^52: a byte each, and more for the few that it leaves open.
   * @param {number} weight
   * @param {number} count
   * @returns {boolean[]}
   */
  coins(weight, count) {
    if (weight === WHOLE) return new Array(count).fill(true);
    const octets = this.take(Math.ceil(count / 8)).subarray(0, count);
    const high = Math.floor(weight / 2 ** REST_BITS);
    const rest = weight % 2 ** REST_BITS;
    const coins = Array.from(octets, (octet) => octet < high);
    if (rest > 0) {
      octets.forEach((octet, place) => {
        if (octet === high) coins[place] = this.leading(REST_BITS) < rest;
      });
    }
    return coins;
  }
}

/**
 * The bytes that may leave a device instead of its value.
 * @param {Config} config
 * @param {Label} value One of the categories; for `binary_response` true or false.
 * @param {Random} [random]
 * @returns {Uint8Array}
 */
export function report(config, value, random = new Random()) {
  switch (config.protocol) {
    case "binary_response":
      return binaryResponse(config, value, random);
    case "kary_response":
      return karyResponse(config, numberOf(config, value), random);
    case "unary_encoding":
      return unaryEncoding(config, numberOf(config, value), random);
    case "subset_selection":
      return subsetSelection(config, numberOf(config, value), random);
    case "affine_response":
      return affineResponse(config, numberOf(config, value), random);
    case "hadamard_response":
      return hadamardResponse(config, numberOf(config, value), random);
    default:
      throw new Error(`there is no protocol ${config.protocol} on devices that run JavaScript`);
  }
}

/**
 * Which instruction of a survey a person gets, as its place in `instructions`. Show it to that person only.
 * @param {SurveyConfig} config
 * @param {Random} [random]
 * @returns {number}
 */
export function instruct(config, random = new Random()) {
  const weights = config.instructions.map((each) => weightOf(each.weight, Number.MAX_SAFE_INTEGER));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let drawn = random.uniform(weightOf(total, Number.MAX_SAFE_INTEGER));
  let place = 0;
  while (drawn >= weights[place]) {
    drawn -= weights[place];
    place += 1;
  }
  return place;
}

/**
 * What somebody answers after a draw, for pages that do not show the instruction.
 * @param {SurveyConfig} config
 * @param {boolean} truth
 * @param {Random} [random]
 * @returns {boolean}
 */
export function answer(config, truth, random = new Random()) {
  if (typeof truth !== "boolean") throw new Error("the truth must be true or false");
  return config.instructions[instruct(config, random)].says[truth ? 1 : 0];
}

/** @param {Config} config @param {Label} value @param {Random} random */
function binaryResponse(config, value, random) {
  if (typeof value !== "boolean") throw new Error("the value must be true or false");
  const whole = weightOf(config.whole, WHOLE);
  const yes = weightOf(value ? config.yes_of_yes : config.yes_of_no, whole - 1);
  return packedNumber(random.uniform(whole) < yes ? 1 : 0, config);
}

/** @param {Config} config @param {number} value @param {Random} random */
function karyResponse(config, value, random) {
  const truth = weightOf(config.truth, WHOLE - 1);
  const other = weightOf(config.other, WHOLE - 1);
  const size = sizeOf(config);
  if (truth + (size - 1) * other !== WHOLE) throw new Error("the weights of a configuration must add up to 2^52");
  const moves = Math.max(quotient(random.leading(BITS) - (truth - other), other), 0);
  return packedNumber((value + moves) % size, config);
}

/** @param {Config} config @param {number} value @param {Random} random */
function unaryEncoding(config, value, random) {
  const bits = random.coins(weightOf(config.other, WHOLE - 1), sizeOf(config));
  bits[value] = random.coins(weightOf(config.own, WHOLE - 1), 1)[0];
  return packedBits(bits, config);
}

/** @param {Config} config @param {number} value @param {Random} random */
function subsetSelection(config, value, random) {
  const size = sizeOf(config);
  const chosen = weightOf(config.chosen, size - 1);
  const bits = random.coins(halfToEven((256 * chosen) / size) * 2 ** REST_BITS, size);
  bits[value] = random.coins(weightOf(config.inside, WHOLE - 1), 1)[0];
  let excess = bits.filter((bit) => bit).length - chosen;
  while (excess !== 0) {
    const cell = random.uniform(size);
    if (bits[cell] === excess > 0 && cell !== value) {
      bits[cell] = !bits[cell];
      excess += bits[cell] ? 1 : -1;
    }
  }
  return packedBits(bits, config);
}

/** @param {Config} config @param {number} value @param {Random} random */
function affineResponse(config, value, random) {
  const prime = weightOf(config.prime, MOST_PRIME);
  const chosen = weightOf(config.chosen, prime - 1);
  const others = prime - chosen;
  const inside = random.coins(weightOf(config.inside, WHOLE - 1), 1)[0];
  const drawn = random.uniform((prime - 1) * chosen * others);
  const left = quotient(drawn, others);
  const slope = quotient(left, chosen);
  const image = inside ? left % chosen : chosen + (drawn % others);
  const moved = (image - (slope + 1) * value) % prime;
  return packedNumber(slope * prime + (moved < 0 ? moved + prime : moved), config);
}

/** @param {Config} config @param {number} value @param {Random} random */
function hadamardResponse(config, value, random) {
  const outside = !random.coins(weightOf(config.inside, WHOLE - 1), 1)[0];
  const code = value + 1;
  let numbers = 1;
  while (numbers <= sizeOf(config)) numbers *= 2;
  const drawn = random.uniform(numbers);
  const wrong = oddParity(drawn & code) !== outside;
  return packedNumber(wrong ? drawn ^ (code & -code) : drawn, config);
}

/** The number of a value among the categories. @param {Config} config @param {Label} value */
function numberOf(config, value) {
  const { categories } = config;
  const place = Array.isArray(categories) ? categories.indexOf(value) : value;
  if (typeof place !== "number" || !Number.isInteger(place) || place < 0 || place >= sizeOf(config)) {
    throw new Error("the value must be one of the categories: list one for all others");
  }
  return place;
}

/** @param {Config} config @returns {number} */
function sizeOf(config) {
  const size = Array.isArray(config.categories) ? config.categories.length : config.categories;
  return weightOf(size, 2 ** 24);
}

/** A whole number from 1 on, or an error. @param {number | undefined} weight @param {number} most @returns {number} */
function weightOf(weight, most) {
  if (weight === undefined || !Number.isSafeInteger(weight) || weight < 1 || weight > most) {
    throw new Error("a number of the configuration is missing, or out of its range");
  }
  return weight;
}

/** Divides whole numbers and rounds down, exactly. @param {number} dividend @param {number} divisor */
function quotient(dividend, divisor) {
  const rest = ((dividend % divisor) + divisor) % divisor;
  return (dividend - rest) / divisor;
}

/** @param {number} number @returns {number} */
function halfToEven(number) {
  const below = Math.floor(number);
  const rest = number - below;
  if (rest === 0.5) return below % 2 === 0 ? below : below + 1;
  return rest < 0.5 ? below : below + 1;
}

/** @param {number} number @returns {boolean} */
function oddParity(number) {
  let folded = number;
  for (const bits of [16, 8, 4, 2, 1]) folded ^= folded >>> bits;
  return (folded & 1) === 1;
}

/** The highest byte first. @param {number} number @param {Config} config @returns {Uint8Array} */
function packedNumber(number, config) {
  const bytes = new Uint8Array(weightOf(config.payload_bytes, 8));
  let left = number;
  for (let place = bytes.length - 1; place >= 0; place -= 1) {
    bytes[place] = left % 256;
    left = Math.floor(left / 256);
  }
  return bytes;
}

/** The first bit is the highest of the first byte. @param {boolean[]} bits @param {Config} config @returns {Uint8Array} */
function packedBits(bits, config) {
  const bytes = new Uint8Array(weightOf(config.payload_bytes, 2 ** 21));
  bits.forEach((bit, place) => {
    if (bit) bytes[place >> 3] |= 128 >> (place & 7);
  });
  return bytes;
}
