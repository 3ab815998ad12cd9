package org.nyala.core.filter;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.entry.ValuePosition;
import org.nyala.core.schema.MatchingRule;

/**
 * Tests of values of the same attributes by the same rule: true if each of them, or one of them, is
 * passed by a value. Each value is normalised once.
 *
 * <p>Confined to one running operation.
 */
final class ValuesNode extends TestNode {
  /** The cost of a look-up of a value in the store, in tests. */
  private static final int ASK_TESTS = 8;

  private enum Step {
    SETTLED,
    OPEN,
    SUSPENDED
  }

  private final @Nullable AttributeSelector attribute;
  private final @Nullable AttributeRights rights;
  private final ValueItems tests;
  private final boolean isAll;
  private final BitSet passed = new BitSet();
  private int passedCount;
  private boolean isBegun;
  private int attributeIndex;
  private @Nullable ValuePosition position;
  private int at;

  /**
   * Creates a node.
   *
   * @param attribute the attributes; null for those to which the rule applies
   * @param rights the rights that each of the latter takes besides; null for none
   * @param isAll true if each test must be passed by some value
   */
  ValuesNode(
      @Nullable AttributeSelector attribute,
      @Nullable AttributeRights rights,
      ValueItems tests,
      boolean isAll) {
    this.attribute = attribute;
    this.rights = rights;
    this.tests = tests;
    this.isAll = isAll;
  }

  @Override
  @Nullable Ternary go(TestRun run) {
    if (!isBegun) {
      isBegun = true;
      run.chargeLook(attribute);
    }
    while (attributeIndex < run.entry().attributeCount()) {
      if (run.selects(attribute, rights, tests.rule(), attributeIndex)) {
        Step step = isLookUp(run) ? lookUp(run) : walk(run);
        if (step == Step.SETTLED) {
          restart();
          return Ternary.TRUE;
        }
        if (step == Step.SUSPENDED) {
          return null;
        }
      }
      attributeIndex++;
      at = 0;
      position = null;
    }
    restart();
    return Ternary.FALSE;
  }

  /**
   * Returns whether values that are kept apart, by their own equality rule, can be asked for
   * directly.
   */
  private boolean isLookUp(TestRun run) {
    if (!tests.others().isEmpty() || !run.entry().isApart(attributeIndex)) {
      return false;
    }
    MatchingRule own =
        run.table().description(run.entry().attributeId(attributeIndex)).type().equality();
    LargeValues large = run.entry().largeValues(attributeIndex);
    return large != null
        && own != null
        && own.oid().equals(tests.rule().oid())
        && tests.equal().size() <= large.count();
  }

  private Step lookUp(TestRun run) {
    LargeValues large = run.entry().largeValues(attributeIndex);
    while (large != null && at < tests.equal().size()) {
      int index = at++;
      run.charge(ASK_TESTS);
      if (large.containsNormalized(tests.equal().get(index)) && settles(index)) {
        return Step.SETTLED;
      }
      if (!run.goesOn()) {
        return Step.SUSPENDED;
      }
    }
    return Step.OPEN;
  }

  private Step walk(TestRun run) {
    ValueCursor values = run.values;
    ValuePosition from = position;
    if (from == null) {
      values.open(run.entry(), attributeIndex);
    } else {
      values.open(run.entry(), attributeIndex, from);
    }
    boolean isThere = values.next();
    while (isThere) {
      Step step = test(run);
      if (step != Step.OPEN) {
        return step;
      }
      at = 0;
      isThere = values.next();
      if (isThere && !run.goesOn()) {
        position = values.position(run.entry());
        return Step.SUSPENDED;
      }
    }
    return Step.OPEN;
  }

  /** Tests the current value, which is normalised anew if its tests were suspended. */
  private Step test(TestRun run) {
    long before = run.done();
    if (!run.normalize(tests.rule())) {
      return Step.OPEN;
    }
    if (at == 0) {
      run.charge(tests.lookUpCost(run.normalized));
      int found = tests.equal().find(run.normalized.array(), run.normalized.length());
      if (found >= 0 && settles(found)) {
        return Step.SETTLED;
      }
    }
    // Each slice normalises the value again, which must be worth it.
    long worthwhile = run.done() + (run.done() - before);
    while (at < tests.others().size()) {
      int index = at++;
      if (!isAll || !passed.get(tests.equal().size() + index)) {
        run.charge(tests.cost(index, run.normalized));
        if (tests.passes(index, run.normalized) && settles(tests.equal().size() + index)) {
          return Step.SETTLED;
        }
      }
      if (at < tests.others().size() && run.done() >= worthwhile && !run.goesOn()) {
        position = run.values.position(run.entry());
        return Step.SUSPENDED;
      }
    }
    return Step.OPEN;
  }

  /** Records that a test was passed, and returns whether that settles the whole. */
  private boolean settles(int test) {
    if (!isAll) {
      return true;
    }
    if (!passed.get(test)) {
      passed.set(test);
      passedCount++;
    }
    return passedCount == tests.size();
  }

  @Override
  boolean looksFurther() {
    return false;
  }

  @Override
  boolean renew() {
    return false;
  }

  @Override
  void restart() {
    passed.clear();
    passedCount = 0;
    isBegun = false;
    attributeIndex = 0;
    position = null;
    at = 0;
  }
}
