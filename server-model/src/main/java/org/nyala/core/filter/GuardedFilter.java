package org.nyala.core.filter;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;
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
     *
     * @param work takes the cost, in the unit of {@link Compilation#accept}
     */
    Part of(FilterNode item, LongConsumer work);

    /** Returns a test that looks at no attributes but those that may be tested. */
    CompiledFilter restricted(CompiledFilter test);
  }

  /** The items of a small filter: a form of it takes a millisecond in the worst case. */
  private static final int FEW = 4;

  /** The units of work that take as long as a test. */
  private static final int UNITS_OF_TEST = 4;

  private final FilterCompiler compiler;
  private final FilterNode filter;
  private final List<FilterNode> items;

  /** The compiled items of a filter that is more than one item. */
  private final @Nullable IdentityHashMap<FilterNode, CompiledFilter> compiled;

  /** The filter itself, if it is one item. */
  private @Nullable CompiledFilter only;

  /** The parts of the tests of references that the client may make; once they are known. */
  private @Nullable IdentityHashMap<FilterNode, CompiledFilter> visible;

  /** Those parts before they were asked about anew. */
  private @Nullable IdentityHashMap<FilterNode, CompiledFilter> formerly;

  private int replaced;

  /**
   * Checks the size of a filter, of which nothing is compiled yet.
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

  /**
   * Compiles the items of a filter that is short, at once.
   *
   * @throws IllegalArgumentException if it is not {@linkplain FilterCompiler#isShort short}
   */
  public void compileShort() {
    if (!FilterCompiler.isShort(filter)) {
      throw new IllegalArgumentException("a filter that is not short");
    }
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
   * @throws FilterLimitException if there is no memory for them
   */
  public boolean compile(Compilation compilation) throws FilterLimitException {
    for (FilterNode item : items) {
      CompiledFilter known = compilation.next();
      if (known == null) {
        if (!compilation.goesOn()) {
          FilterCompiler.requireMemory(compilation);
          return false;
        }
        known = compilation.keep(compiler.item(item), item);
      }
      keep(item, known);
    }
    FilterCompiler.requireMemory(compilation);
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
        CompiledFilter other = replacement.of(known);
        if (other == null) {
          return false;
        }
        all.put(item, other);
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

  /**
   * Begins to replace the tests of references anew, because what the client may find out by them
   * may be other now. Until all are replaced, no form is asked for.
   */
  public void renewReferences() {
    replaced = 0;
    formerly = visible == null ? formerly : visible;
    visible = null;
  }

  /** Returns whether the last renewal has replaced a test of references by another than before. */
  public boolean hasOtherReferences() {
    IdentityHashMap<FilterNode, CompiledFilter> before = formerly;
    IdentityHashMap<FilterNode, CompiledFilter> now = visible;
    return now != null
        && before != null
        && now.entrySet().stream().anyMatch(each -> before.get(each.getKey()) != each.getValue());
  }

  /** Returns whether there are tests of references; once all items are compiled. */
  public boolean hasReferences() {
    return items.stream().anyMatch(item -> isReference(compiled(item)));
  }

  public List<FilterNode> items() {
    return Collections.unmodifiableList(items);
  }

  private static boolean isReference(CompiledFilter test) {
    return test instanceof CompiledFilter.MemberOfItem || test instanceof CompiledFilter.ChainItem;
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
    /** Returns another test, or the same; null if the slice ends before: another call goes on. */
    @Nullable CompiledFilter of(CompiledFilter test) throws E;
  }

  /**
   * A form of the filter, made when it is first asked for: those items that a guard lets through.
   * Each of them is one test at most, whatever attributes there are.
   *
   * <p>Confined to one running operation.
   */
  public final class Form {
    private final Guard guard;
    private final Compilation.Room room;
    private @Nullable Compilation compilation;

    private Form(Guard guard, Compilation.Room room) {
      this.guard = guard;
      this.room = room;
    }

    /**
     * Goes on with making the form.
     *
     * @return null if the slice ends before
     */
    public @Nullable CompiledFilter go(Pace pace) {
      if (isSmall()) {
        return throughSmall(guard);
      }
      Compilation going = compilation;
      if (going == null) {
        going = new Compilation(room);
        compilation = going;
      }
      return through(guard, going.begin(pace));
    }

    /** The work done by the last call, in tests. */
    long tests() {
      Compilation going = compilation;
      return going == null ? items.size() : going.done() / UNITS_OF_TEST;
    }

    /** Returns whether there is no memory for the form: it is not made. */
    boolean isRefused() {
      Compilation going = compilation;
      return going != null && going.isRefused();
    }
  }

  /** Returns whether the filter is so small that a form of it takes no slice, and no charge. */
  public boolean isSmall() {
    return items.size() <= FEW;
  }

  /**
   * Returns whether a guard lets all of the items of a small filter through, so that its form is
   * the filter itself; once all are compiled.
   */
  public boolean isLetThrough(Guard guard) {
    for (int i = 0; i < items.size(); i++) {
      if (guard.of(items.get(i), _ -> {}) != Guard.Part.ALL) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns a small filter with those items that a guard lets through; once all are compiled, and
   * the tests of references replaced.
   *
   * @throws IllegalArgumentException if it is not {@linkplain #isSmall small}
   */
  public CompiledFilter throughSmall(Guard guard) {
    if (!isSmall()) {
      throw new IllegalArgumentException("a filter of " + items.size() + " items");
    }
    return Objects.requireNonNull(
        FilterCompiler.compile(
            filter, true, (item, positive) -> through(item, positive, guard, _ -> {})));
  }

  /**
   * Begins a form of the filter, once all items are compiled.
   *
   * @param room takes its memory
   */
  public Form form(Guard guard, Compilation.Room room) {
    return new Form(guard, room);
  }

  /**
   * Returns the filter with those items that a guard lets through; once all are compiled, and the
   * tests of references replaced.
   *
   * @param compilation the progress in this form
   * @return null if the slice ends before, or there is no memory for it
   */
  public @Nullable CompiledFilter through(Guard guard, Compilation compilation) {
    CompiledFilter form =
        FilterCompiler.compile(
            filter, true, (item, positive) -> next(item, positive, guard, compilation));
    return compilation.isRefused() ? null : form;
  }

  private @Nullable CompiledFilter next(
      FilterNode item, boolean positive, Guard guard, Compilation compilation) {
    CompiledFilter known = compilation.next();
    if (known != null) {
      return known;
    }
    return compilation.goesOn()
        ? compilation.keepForm(through(item, positive, guard, compilation))
        : null;
  }

  private CompiledFilter through(
      FilterNode item, boolean positive, Guard guard, LongConsumer work) {
    CompiledFilter known = testable(item);
    if (known == CompiledFilter.Constant.UNDEFINED) {
      return known;
    }
    return switch (guard.of(item, work)) {
      case ALL -> known;
      case NONE -> CompiledFilter.Constant.UNDEFINED;
      // That no value is found among some of the attributes does not tell about the others.
      case SOME -> positive ? guard.restricted(known) : CompiledFilter.Constant.UNDEFINED;
    };
  }
}
