package org.nyala.core.filter;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.FilterNode;
import org.nyala.core.schema.Schema;

/**
 * Turns filters as clients send them into {@link CompiledFilter}s.
 *
 * <p>Thread-safe. Hot.
 */
public final class FilterCompiler {
  /*
   * A search only asks whether a filter is TRUE. Below an even number of NOTs an UNDEFINED item therefore counts like FALSE, below
   * an odd number like TRUE. Using that here means that UNDEFINED is the whole filter or nowhere in it, and stores need not know
   * three-valued logic.
   */
  private final AssertionCompiler assertions;
  private final Items atOnce = (item, _) -> item(item);

  /** Filters that cost no more, in bytes of text, are compiled at once. */
  private static final int SHORT = 8 << 10;

  private final int maximumDepth;
  private final int maximumNodes;
  private final int maximumAssertionLength;

  /**
   * Creates a compiler.
   *
   * @param schema the schema by which names are resolved
   * @param visibility attributes that it hides are unknown to filters
   * @param maximumDepth the maximum nesting depth of filters, at least 1: an item alone has depth 1
   * @param maximumNodes the maximum number of nodes in a filter, at least 1
   */
  public FilterCompiler(
      Schema schema, AttributeSelection.Visibility visibility, int maximumDepth, int maximumNodes) {
    this(schema, visibility, maximumDepth, maximumNodes, null);
  }

  /**
   * Creates a compiler.
   *
   * @param schema the schema by which names are resolved
   * @param visibility attributes that it hides are unknown to filters
   * @param maximumDepth the maximum nesting depth of filters, at least 1: an item alone has depth 1
   * @param maximumNodes the maximum number of nodes in a filter, at least 1
   * @param membership the rules by which {@code memberOf} is computed; null if it is stored like
   *     others
   */
  public FilterCompiler(
      Schema schema,
      AttributeSelection.Visibility visibility,
      int maximumDepth,
      int maximumNodes,
      @Nullable Membership membership) {
    this(schema, visibility, maximumDepth, maximumNodes, Integer.MAX_VALUE, membership);
  }

  /**
   * Creates a compiler.
   *
   * @param schema the schema by which names are resolved
   * @param visibility attributes that it hides are unknown to filters
   * @param maximumDepth the maximum nesting depth of filters, at least 1: an item alone has depth 1
   * @param maximumNodes the maximum number of nodes in a filter, at least 1
   * @param maximumAssertionLength the maximum bytes of an assertion value, or of all its pieces
   * @param membership the rules by which {@code memberOf} is computed; null if it is stored like
   *     others
   */
  public FilterCompiler(
      Schema schema,
      AttributeSelection.Visibility visibility,
      int maximumDepth,
      int maximumNodes,
      int maximumAssertionLength,
      @Nullable Membership membership) {
    this.maximumAssertionLength = maximumAssertionLength;
    this.assertions = new AssertionCompiler(schema, visibility, membership);
    this.maximumDepth = maximumDepth;
    this.maximumNodes = maximumNodes;
  }

  /**
   * Compiles a filter of the server itself, of its configuration or of an administrator, at once
   * and without charge. The result is TRUE for the same entries as the filter; if the filter is
   * FALSE or UNDEFINED, it may be either.
   *
   * @throws FilterLimitException if the filter is too deep or has too many nodes
   */
  public CompiledFilter compileOwn(FilterNode filter) throws FilterLimitException {
    checkLimits(filter, 1, maximumNodes);
    return Objects.requireNonNull(compile(filter, true, atOnce));
  }

  /**
   * Compiles a filter of a client that is short, at once; what it takes is no more than operations
   * have without charge.
   *
   * @throws FilterLimitException if the filter is too deep or has too many nodes
   * @throws IllegalArgumentException if it is not {@linkplain #isShort short}
   */
  public CompiledFilter compileShort(FilterNode filter) throws FilterLimitException {
    if (!isShort(filter)) {
      throw new IllegalArgumentException("a filter that is not short");
    }
    return compileOwn(filter);
  }

  /**
   * Compiles a filter as {@link #compileOwn} does, in slices.
   *
   * @param compilation the progress so far
   * @return null if the slice ends before
   * @throws FilterLimitException if the filter is too deep or has too many nodes, or there is no
   *     memory for it
   */
  public @Nullable CompiledFilter compile(FilterNode filter, Compilation compilation)
      throws FilterLimitException {
    checkLimits(filter, 1, maximumNodes);
    CompiledFilter compiled = compile(filter, true, (item, _) -> next(item, compilation));
    requireMemory(compilation);
    return compiled;
  }

  /**
   * Ends the compilation of a filter for which there is no memory.
   *
   * @throws FilterLimitException if that is so
   */
  static void requireMemory(Compilation compilation) throws FilterLimitException {
    if (compilation.isRefused()) {
      throw FilterLimitException.noMemory(compilation.isPassing());
    }
  }

  private @Nullable CompiledFilter next(FilterNode item, Compilation compilation) {
    CompiledFilter known = compilation.next();
    if (known != null) {
      return known;
    }
    return compilation.goesOn() ? compilation.keep(item(item), item) : null;
  }

  /** The compilation of the items of a filter. */
  @FunctionalInterface
  interface Items {
    /**
     * Returns an item as it is tested; null to end without a result.
     *
     * @param positive false below an odd number of NOTs
     */
    @Nullable CompiledFilter of(FilterNode item, boolean positive);
  }

  /**
   * Checks that a filter is within the limits, so that it can be compiled.
   *
   * @throws FilterLimitException if it is too deep, has too many nodes or a too long assertion
   */
  void check(FilterNode filter) throws FilterLimitException {
    checkLimits(filter, 1, maximumNodes);
  }

  /**
   * Compiles items that select values, each by itself; they were counted when they were read.
   *
   * @return null if the slice ends before
   * @throws FilterLimitException if an assertion is too long, or there is no memory for them
   */
  public @Nullable ValuesFilter compileValues(List<FilterNode> items, Compilation compilation)
      throws FilterLimitException {
    List<CompiledFilter> compiled = new ArrayList<>(items.size());
    for (FilterNode item : items) {
      checkLength(item);
      CompiledFilter each = compilation.next();
      if (each == null) {
        if (!compilation.goesOn()) {
          requireMemory(compilation);
          return null;
        }
        each = compilation.keep(assertions.valueTest(item), item);
      }
      compiled.add(each);
    }
    requireMemory(compilation);
    return new ValuesFilter(compiled);
  }

  /** Returns the filter that is true if both are. */
  public static CompiledFilter and(CompiledFilter one, CompiledFilter other) {
    if (isNever(one) || isNever(other)) {
      return isNever(one) ? one : other;
    }
    List<CompiledFilter> both = new ArrayList<>(2);
    add(one, true, both);
    add(other, true, both);
    return joined(both, true);
  }

  private static boolean isNever(CompiledFilter filter) {
    return filter == CompiledFilter.Constant.FALSE || filter == CompiledFilter.Constant.UNDEFINED;
  }

  /** Returns whether a filter is so small that it is compiled at once. */
  public static boolean isShort(FilterNode filter) {
    return left(filter, SHORT) >= 0;
  }

  private static long left(FilterNode filter, long room) {
    long left = room - Compilation.cost(filter);
    return switch (filter) {
      case FilterNode.And and -> left(and.nodes(), left);
      case FilterNode.Or or -> left(or.nodes(), left);
      case FilterNode.Not not -> left(not.node(), left);
      default -> left;
    };
  }

  private static long left(List<FilterNode> filters, long room) {
    long left = room;
    for (int i = 0; i < filters.size() && left >= 0; i++) {
      left = left(filters.get(i), left);
    }
    return left;
  }

  /**
   * Refuses an assertion that is too long.
   *
   * @throws FilterLimitException if it is
   */
  public void checkLength(FilterNode item) throws FilterLimitException {
    long length =
        switch (item) {
          case FilterNode.Equality test -> test.value().length;
          case FilterNode.Approximate test -> test.value().length;
          case FilterNode.GreaterOrEqual test -> test.value().length;
          case FilterNode.LessOrEqual test -> test.value().length;
          case FilterNode.Extensible test -> test.value().length;
          case FilterNode.Substrings test -> length(test);
          case FilterNode.Present _, FilterNode.And _, FilterNode.Or _, FilterNode.Not _ -> 0;
        };
    if (length > maximumAssertionLength) {
      throw new FilterLimitException(
          "an assertion of more than " + maximumAssertionLength + " bytes");
    }
  }

  private static long length(FilterNode.Substrings test) {
    long length = test.initial() == null ? 0 : test.initial().length;
    length += test.last() == null ? 0 : test.last().length;
    for (int i = 0; i < test.any().size(); i++) {
      length += test.any().get(i).length;
    }
    return length;
  }

  /** Returns the number of nodes still allowed after this one and those below it. */
  private int checkLimits(FilterNode node, int depth, int allowed) throws FilterLimitException {
    if (depth > maximumDepth) {
      throw new FilterLimitException("filter nests deeper than " + maximumDepth);
    }
    if (allowed == 0) {
      throw new FilterLimitException("filter has more than " + maximumNodes + " nodes");
    }
    checkLength(node);
    int left = allowed - 1;
    return switch (node) {
      case FilterNode.And and -> checkLimits(and.nodes(), depth + 1, left);
      case FilterNode.Or or -> checkLimits(or.nodes(), depth + 1, left);
      case FilterNode.Not not -> checkLimits(not.node(), depth + 1, left);
      case FilterNode.Substrings substrings -> checkPieces(substrings, left);
      case FilterNode.Equality _,
          FilterNode.GreaterOrEqual _,
          FilterNode.LessOrEqual _,
          FilterNode.Present _,
          FilterNode.Approximate _,
          FilterNode.Extensible _ ->
          left;
    };
  }

  private int checkLimits(List<FilterNode> nodes, int depth, int allowed)
      throws FilterLimitException {
    int left = allowed;
    for (int i = 0; i < nodes.size(); i++) {
      left = checkLimits(nodes.get(i), depth, left);
    }
    return left;
  }

  /** Every piece in the middle costs as much as a node does. */
  private int checkPieces(FilterNode.Substrings substrings, int allowed)
      throws FilterLimitException {
    int left = allowed - substrings.any().size();
    if (left < 0) {
      throw new FilterLimitException("filter has more than " + maximumNodes + " nodes");
    }
    return left;
  }

  /** Compiles a filter from its items; null only if there is none for one of them. */
  static @Nullable CompiledFilter compile(FilterNode node, boolean positive, Items items) {
    return switch (node) {
      case FilterNode.And and -> join(and.nodes(), true, positive, items);
      case FilterNode.Or or -> join(or.nodes(), false, positive, items);
      case FilterNode.Not not -> {
        CompiledFilter inner = compile(not.node(), !positive, items);
        yield inner == null ? null : negate(inner);
      }
      case FilterNode item -> items.of(item, positive);
    };
  }

  CompiledFilter item(FilterNode node) {
    return switch (node) {
      case FilterNode.Equality item -> assertions.equality(item.attribute(), item.value());
      case FilterNode.Approximate item -> assertions.equality(item.attribute(), item.value());
      case FilterNode.Substrings item -> assertions.substrings(item);
      case FilterNode.GreaterOrEqual item ->
          assertions.ordering(
              item.attribute(), item.value(), CompiledFilter.ValueItem.Comparison.GREATER_OR_EQUAL);
      case FilterNode.LessOrEqual item ->
          assertions.ordering(
              item.attribute(), item.value(), CompiledFilter.ValueItem.Comparison.LESS_OR_EQUAL);
      case FilterNode.Present item -> assertions.presence(item.attribute());
      case FilterNode.Extensible item -> assertions.extensible(item);
      case FilterNode.And _, FilterNode.Or _, FilterNode.Not _ ->
          throw new IllegalArgumentException("no item");
    };
  }

  private static CompiledFilter negate(CompiledFilter node) {
    return switch (node) {
      case CompiledFilter.Constant constant -> constant(constant.value().not());
      case CompiledFilter.Not not -> not.node();
      case CompiledFilter other -> new CompiledFilter.Not(other);
    };
  }

  private static CompiledFilter constant(Ternary value) {
    return switch (value) {
      case FALSE -> CompiledFilter.Constant.FALSE;
      case UNDEFINED -> CompiledFilter.Constant.UNDEFINED;
      case TRUE -> CompiledFilter.Constant.TRUE;
    };
  }

  private static @Nullable CompiledFilter join(
      List<FilterNode> nodes, boolean isAnd, boolean positive, Items items) {
    CompiledFilter absorbing = isAnd ? CompiledFilter.Constant.FALSE : CompiledFilter.Constant.TRUE;
    List<CompiledFilter> joined = new ArrayList<>(nodes.size());
    boolean undefined = false;
    for (int i = 0; i < nodes.size(); i++) {
      CompiledFilter compiled = compile(nodes.get(i), positive, items);
      if (compiled == null) {
        return null;
      }
      if (compiled == absorbing) {
        return absorbing;
      }
      if (compiled == CompiledFilter.Constant.UNDEFINED) {
        undefined = true;
      } else if (isItem(nodes.get(i))) {
        addWhole(compiled, joined);
      } else {
        add(compiled, isAnd, joined);
      }
    }
    if (undefined && (isAnd == positive || joined.isEmpty())) {
      return CompiledFilter.Constant.UNDEFINED;
    }
    return joined(joined, isAnd);
  }

  private static boolean isItem(FilterNode node) {
    return switch (node) {
      case FilterNode.And _, FilterNode.Or _, FilterNode.Not _ -> false;
      default -> true;
    };
  }

  /** Adds the node of an item, be it one that stands for many and is shared by all filters. */
  private static void addWhole(CompiledFilter node, List<CompiledFilter> joined) {
    if (!(node instanceof CompiledFilter.Constant)) {
      joined.add(node);
    }
  }

  /** Adds a node, or its nodes if it joins in the same way; the neutral constant is left out. */
  private static void add(CompiledFilter node, boolean isAnd, List<CompiledFilter> joined) {
    if (isAnd && node instanceof CompiledFilter.And and) {
      joined.addAll(and.nodes());
    } else if (!isAnd && node instanceof CompiledFilter.Or or) {
      joined.addAll(or.nodes());
    } else if (!(node instanceof CompiledFilter.Constant)) {
      joined.add(node);
    }
  }

  private static CompiledFilter joined(List<CompiledFilter> nodes, boolean isAnd) {
    if (nodes.isEmpty()) {
      return isAnd ? CompiledFilter.Constant.TRUE : CompiledFilter.Constant.FALSE;
    }
    if (nodes.size() == 1) {
      return nodes.getFirst();
    }
    return isAnd ? new CompiledFilter.And(nodes) : new CompiledFilter.Or(nodes);
  }
}
