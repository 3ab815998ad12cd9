package org.nyala.core.filter;

import org.jspecify.annotations.Nullable;

/**
 * A test that is made at once, except for tests of references, which look beyond the entry.
 *
 * <p>Confined to one running operation.
 */
final class LeafNode extends TestNode {
  private final CompiledFilter test;
  private final boolean keeps;
  private EntryFacts.@Nullable LookUp lookUp;
  private boolean isOpen;

  /** True if something was found in other entries for the current entry alone. */
  private boolean isAsked;

  /**
   * Creates a node.
   *
   * @param keeps true if results that are the same for every entry are kept from one to the next
   */
  LeafNode(CompiledFilter test, boolean keeps) {
    this.test = test;
    this.keeps = keeps;
  }

  @Override
  @Nullable Ternary go(TestRun run) {
    if (run.probe() instanceof EntryFacts probe) {
      EntryFacts.LookUp going = lookUp;
      if (test instanceof CompiledFilter.MemberOfItem member) {
        return goOn(run, probe, going == null ? probe.lookUp(member, run.entry()) : going, false);
      }
      if (test instanceof CompiledFilter.ChainItem chain) {
        return goOn(run, probe, going == null ? probe.lookUp(chain) : going, keeps);
      }
    }
    return run.test(test);
  }

  private @Nullable Ternary goOn(
      TestRun run, EntryFacts probe, EntryFacts.LookUp going, boolean isKept) {
    run.charge(FilterMatcher.LOOK_UP_TESTS);
    Boolean value = probe.goOn(going, run.entry(), run.lookUps());
    isOpen = value == null;
    isAsked = value == null || !isKept;
    lookUp = value == null || isKept ? going : null;
    return value == null ? null : Ternary.of(value);
  }

  @Override
  boolean looksFurther() {
    return test instanceof CompiledFilter.MemberOfItem || test instanceof CompiledFilter.ChainItem;
  }

  @Override
  boolean renew() {
    boolean isForgotten = isAsked;
    restart();
    return isForgotten;
  }

  /** {@inheritDoc} What was found to its end for all entries stays. */
  @Override
  void restart() {
    isAsked = false;
    if (isOpen) {
      lookUp = null;
      isOpen = false;
    }
  }
}
