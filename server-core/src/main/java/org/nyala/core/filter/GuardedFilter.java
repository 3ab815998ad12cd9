package org.nyala.core.filter;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.FilterNode;

/**
 * A filter of a client that may not search all attributes: its items are compiled once, and it has
 * a form for each set of those that may be tested. An item that may not is Undefined, so that
 * neither it nor its negation finds anything (RFC 4511, section 4.5.1.7).
 *
 * <p>Confined to one running operation.
 */
public final class GuardedFilter {
  /** The decision about the items of a filter. */
  public interface Guard {
    /** The part of the attributes that an item tests. */
    enum Part {
      ALL,
      SOME,
      NONE
    }

    /**
     * Returns which of the attributes that an item names may be tested as it tests them: the
     * attribute itself, and those that descend from it.
     */
    Part of(FilterNode item);

    /** Returns a test that looks at no attributes but those that may be tested. */
    CompiledFilter restricted(CompiledFilter test);
  }

  private final FilterCompiler compiler;
  private final FilterNode filter;
  private final List<FilterNode> items;

  /** The compiled items of a filter that is more than one item. */
  private final @Nullable IdentityHashMap<FilterNode, CompiledFilter> compiled;

  /** The filter itself, if it is one item. */
  private @Nullable CompiledFilter only;

  /** The parts of the tests of references that the client may make; once they are known. */
  private @Nullable IdentityHashMap<FilterNode, CompiledFilter> visible;

  private int replaced;

  /**
   * Begins with nothing compiled.
   *
   * @param compiler knows all attributes, also those that nobody reads
   * @throws FilterLimitException if the filter is too deep, has too many nodes or a too long
   *     assertion
   */
  public GuardedFilter(FilterCompiler compiler, FilterNode filter) throws FilterLimitException {
    this.compiler = compiler;
    this.filter = filter;
    compiler.check(filter);
    boolean isOne =
        switch (filter) {
          case FilterNode.And _, FilterNode.Or _, FilterNode.Not _ -> false;
          default -> true;
        };
    this.compiled = isOne ? null : new IdentityHashMap<>(4);
    this.items = isOne ? List.of(filter) : new ArrayList<>();
    if (!isOne) {
      addItems(filter, items);
    }
  }

  private static void addItems(FilterNode node, List<FilterNode> items) {
    switch (node) {
      case FilterNode.And and -> and.nodes().forEach(each -> addItems(each, items));
      case FilterNode.Or or -> or.nodes().forEach(each -> addItems(each, items));
      case FilterNode.Not not -> addItems(not.node(), items);
      case FilterNode item -> items.add(item);
    }
  }

  /** The number of items. */
  public int size() {
    return items.size();
  }

  /** Compiles the items of a short filter. */
  public void compileAtOnce() {
    for (int i = 0; i < items.size(); i++) {
      keep(items.get(i), compiler.item(items.get(i)));
    }
  }

  private void keep(FilterNode item, CompiledFilter test) {
    if (compiled == null) {
      only = test;
    } else {
      compiled.put(item, test);
    }
  }

  private CompiledFilter compiled(FilterNode item) {
    return Objects.requireNonNull(compiled == null ? only : compiled.get(item));
  }

  /**
   * Compiles the items.
   *
   * @return false if the slice ends before all of them are
   */
  public boolean compile(Compilation compilation) {
    for (FilterNode item : items) {
      CompiledFilter known = compilation.next();
      if (known == null) {
        if (!compilation.goesOn()) {
          return false;
        }
        known = compilation.keep(compiler.item(item), item);
      }
      keep(item, known);
    }
    return true;
  }

  /**
   * Replaces the tests of references by what the client may find out by them; once all items are
   * compiled.
   *
   * @param pace is asked after each
   * @return false if the slice ends before: another call goes on
   */
  public <E extends Exception> boolean replaceReferences(Replacement<E> replacement, Pace pace)
      throws E {
    while (replaced < items.size()) {
      FilterNode item = items.get(replaced);
      CompiledFilter known = compiled(item);
      if (isReference(known)) {
        IdentityHashMap<FilterNode, CompiledFilter> all = visible;
        if (all == null) {
          all = new IdentityHashMap<>(2);
          visible = all;
        }
        all.put(item, replacement.of(known));
        if (replaced + 1 < items.size() && !pace.goesOn()) {
          replaced++;
          return false;
        }
      }
      replaced++;
    }
    return true;
  }

  /** Lets tests of references find nothing: they are about entries that nothing refers to. */
  public void hideReferences() {
    boolean _ =
        this.<RuntimeException>replaceReferences(_ -> CompiledFilter.Constant.FALSE, () -> true);
  }

  /** Forgets what replaces the tests of references, because the client's rights are others. */
  public void forgetReferences() {
    replaced = 0;
    visible = null;
  }

  private static boolean isReference(CompiledFilter test) {
    return test instanceof CompiledFilter.MemberOfTest || test instanceof CompiledFilter.ChainTest;
  }

  /**
   * Returns the test that the client may make; a test of references must have been replaced, or it
   * would tell of entries that the client may not read.
   */
  private CompiledFilter testable(FilterNode item) {
    CompiledFilter known = compiled(item);
    if (!isReference(known)) {
      return known;
    }
    CompiledFilter replacement = visible == null ? null : visible.get(item);
    if (replacement == null) {
      throw new IllegalStateException("a test of references that is not replaced");
    }
    return replacement;
  }

  /**
   * A replacement of tests.
   *
   * @param <E> the refusal
   */
  @FunctionalInterface
  public interface Replacement<E extends Exception> {
    /** Returns another test; or the same. */
    CompiledFilter of(CompiledFilter test) throws E;
  }

  /**
   * Returns the filter with those items that a guard lets through; once all are compiled, and the
   * tests of references replaced.
   */
  public CompiledFilter through(Guard guard) {
    return Objects.requireNonNull(
        FilterCompiler.compile(filter, true, (item, positive) -> through(item, positive, guard)));
  }

  private CompiledFilter through(FilterNode item, boolean positive, Guard guard) {
    CompiledFilter known = testable(item);
    if (known == CompiledFilter.Constant.UNDEFINED) {
      return known;
    }
    return switch (guard.of(item)) {
      case ALL -> known;
      case NONE -> CompiledFilter.Constant.UNDEFINED;
      // That no value is found among some of the attributes does not tell about the others.
      case SOME -> positive ? guard.restricted(known) : CompiledFilter.Constant.UNDEFINED;
    };
  }
}
