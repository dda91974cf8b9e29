// Where a type's bytes lie, from its strided runs: each question is answered over the runs, never over the entries, so that a
// layout of 10^18 entries takes as long as one of ten. Offsets are BigInt: displacements need 64 bits.
"use strict";

const big = (value) => BigInt(value);
const least = (a, b) => (a < b ? a : b);
const most = (a, b) => (a > b ? a : b);
const floorDiv = (a, b) => a / b - (a % b < 0n ? 1n : 0n); // b > 0
const ceilDiv = (a, b) => -floorDiv(-a, b);

// Copies that lie over each other are looked at one by one, up to so many.
const copiesLimit = 64n;

/** A basic type: `bytes` from 0 on. */
class BasicBlock {
  constructor(type, bytes) {
    Object.assign(this, { type, bytes, low: 0n, high: bytes });
  }
  before(x) {
    return most(0n, least(x, this.high));
  }
  next(x) {
    return x <= 0n ? (this.high > 0n ? 0n : null) : x < this.high ? x : null;
  }
  at(x) {
    return x >= 0n && x < this.high ? { type: this.type, displacement: 0n } : null;
  }
  *rows(base, count) {
    if (this.bytes > 0n) yield { type: this.type, offset: base, bytes: this.bytes * count, count };
  }
}

/** Things side by side, each at its place. */
class Group {
  constructor(items) {
    this.items = items; // {displacement, node}, in the typemap's order
    this.bytes = items.reduce((sum, item) => sum + item.node.bytes, 0n);
    const some = items.filter((item) => item.node.bytes > 0n);
    this.low = some.length ? some.map((item) => item.displacement + item.node.low).reduce(least) : 0n;
    this.high = some.length ? some.map((item) => item.displacement + item.node.high).reduce(most) : 0n;
  }
  before(x) {
    let sum = 0n;
    for (const { displacement, node } of this.items) sum += node.before(x - displacement);
    return sum;
  }
  next(x) {
    let first = null;
    for (const { displacement, node } of this.items) {
      const found = node.next(x - displacement);
      if (found !== null && (first === null || found + displacement < first)) first = found + displacement;
    }
    return first;
  }
  at(x) {
    for (const { displacement, node } of this.items) {
      const found = node.at(x - displacement);
      if (found) return { type: found.type, displacement: found.displacement + displacement };
    }
    return null;
  }
  *rows(base) {
    for (const { displacement, node } of this.items) yield* node.rows(base + displacement, 1n);
  }
}

/** `count` copies, one every `stride` bytes. */
class Loop {
  constructor(count, stride, child) {
    Object.assign(this, { count, stride, child });
    this.bytes = count * child.bytes;
    const last = (count - 1n) * stride;
    this.low = child.low + least(0n, last);
    this.high = child.high + most(0n, last);
    this.step = stride < 0n ? -stride : stride; // copies in the order of memory
    this.first = least(0n, last);
    this.solid = child instanceof BasicBlock && stride === child.bytes;
  }
  before(x) {
    if (x <= this.low) return 0n;
    if (x >= this.high) return this.bytes;
    const { child, count, step } = this;
    const from = x - this.first;
    if (this.solid) return from;
    if (step === 0n) return count * child.before(from);
    const whole = most(0n, least(count, floorDiv(from - child.high, step) + 1n));
    const begun = most(whole, least(count, ceilDiv(from - child.low, step)));
    let sum = whole * child.bytes;
    // Of copies that lie over each other more than that, half of each is a good guess.
    const exact = least(begun, whole + copiesLimit);
    for (let k = whole; k < exact; ++k) sum += child.before(from - k * step);
    return sum + ((begun - exact) * child.bytes) / 2n;
  }
  next(x) {
    const { child, count, step } = this;
    if (this.bytes === 0n || x >= this.high) return null;
    const from = x - this.first;
    if (step === 0n) {
      const found = child.next(from);
      return found === null ? null : found + this.first;
    }
    let k = most(0n, floorDiv(from - child.high, step) + 1n);
    let first = null;
    for (let looked = 0n; k < count && looked < copiesLimit; ++k, ++looked) {
      if (first !== null && k * step + child.low >= first) break;
      const found = child.next(from - k * step);
      if (found !== null && (first === null || found + k * step < first)) first = found + k * step;
    }
    return first === null ? null : first + this.first;
  }
  at(x) {
    const { child, count, step } = this;
    const from = x - this.first;
    if (step === 0n) return child.at(from);
    let k = most(0n, floorDiv(from - child.high, step) + 1n);
    for (let looked = 0n; k < count && looked < copiesLimit && k * step + child.low <= from; ++k, ++looked) {
      const found = child.at(from - k * step);
      if (found) return { type: found.type, displacement: found.displacement + k * step + this.first };
    }
    return null;
  }
  *rows(base) {
    if (this.solid) {
      yield* this.child.rows(base, this.count);
      return;
    }
    for (let k = 0n; k < this.count; ++k) yield* this.child.rows(base + k * this.stride, 1n);
  }
}

function nodeOfRun([what, , loops], basics) {
  let node = Array.isArray(what) ? groupOfRuns(what, basics) : new BasicBlock(what, big(basics[what]));
  for (const [count, stride] of [...loops].reverse()) {
    const solid = node instanceof Loop && node.solid && big(stride) === node.bytes;
    node = solid ? new Loop(big(count) * node.count, node.stride, node.child) : new Loop(big(count), big(stride), node);
  }
  return node;
}

function groupOfRuns(runs, basics) {
  return new Group(runs.map((run) => ({ displacement: big(run[1]), node: nodeOfRun(run, basics) })));
}

/** The bytes of one copy of a type. */
class Layout {
  constructor(runs, basics) {
    this.root = groupOfRuns(runs, basics);
  }
  get bytes() {
    return this.root.bytes;
  }
  /** How many bytes of [from, to) are touched, each as often as it is. */
  touched(from, to) {
    return this.root.before(to) - this.root.before(from);
  }
  /** The first touched byte at or behind `x`; null beyond the last. */
  next(x) {
    return this.root.next(x);
  }
  /** The basic type at a byte and where that entry begins; null in a hole. */
  at(x) {
    return this.root.at(x);
  }
  /** The first `limit` rows, in the typemap's order: entries of one type without a gap are one. */
  rows(limit) {
    const rows = [];
    for (const row of this.root.rows(0n, 1n)) {
      const last = rows[rows.length - 1];
      if (last && last.type === row.type && last.offset + last.bytes === row.offset) {
        last.bytes += row.bytes;
        last.count += row.count;
      } else if (rows.length === limit) {
        return { rows, more: true };
      } else {
        rows.push({ ...row });
      }
    }
    return { rows, more: false };
  }
}
