package org.nyala.lmdb;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.search.CompiledFilter;
import org.nyala.core.search.EntryProbe;
import org.nyala.core.search.FilterMatcher;
import org.nyala.core.search.Ternary;
import org.nyala.lmdb.SearchExplanation.Term;

/**
 * The parts of a filter with what the planner makes of them, and for how many entries they were
 * true.
 *
 * <p>Confined to one running operation.
 */
final class ExplainedTerms {
  private static final long UNKNOWN = SearchExplanation.UNKNOWN;

  /**
   * A part of the filter that is a test by itself.
   *
   * @param test what it asks
   * @param isNegated whether an odd number of NOTs is around it
   * @param use the indexes that answer it
   * @param isLookedUp whether the planner has looked into these
   */
  record Test(CompiledFilter test, boolean isNegated, IndexUse use, boolean isLookedUp) {}

  private final LmdbSnapshot store;
  private final PlanTrace trace;
  private final boolean isPlanned;
  private final IdentityHashMap<CompiledFilter, String> texts;
  private final List<Part> parts = new ArrayList<>();

  /** A part and what was learnt of it; matches change while entries are tested. */
  private static final class Part {
    private final int depth;
    private final CompiledFilter filter;
    private final String text;
    private @Nullable Test test;
    private String index = "";
    private String note = "";
    private long estimate = UNKNOWN;
    private long candidates = UNKNOWN;
    private long matches = UNKNOWN;

    private Part(int depth, CompiledFilter filter, String text) {
      this.depth = depth;
      this.filter = filter;
      this.text = text;
    }
  }

  /**
   * Looks at a filter that has been planned.
   *
   * @param isPlanned whether candidates are looked for at all
   * @param texts how tests are shown, by themselves
   */
  ExplainedTerms(
      LmdbSnapshot store,
      PlanTrace trace,
      boolean isPlanned,
      CompiledFilter filter,
      IdentityHashMap<CompiledFilter, String> texts) {
    this.store = store;
    this.trace = trace;
    this.isPlanned = isPlanned;
    this.texts = texts;
    add(filter, 0, false);
  }

  private void add(CompiledFilter filter, int depth, boolean isNegated) {
    switch (filter) {
      case CompiledFilter.And and -> {
        describe(new Part(depth, filter, texts.getOrDefault(filter, "&")));
        and.nodes().forEach(node -> add(node, depth + 1, isNegated));
      }
      case CompiledFilter.Or or -> {
        describe(new Part(depth, filter, texts.getOrDefault(filter, "|")));
        or.nodes().forEach(node -> add(node, depth + 1, isNegated));
      }
      case CompiledFilter.Not not -> {
        describe(new Part(depth, filter, texts.getOrDefault(filter, "!")));
        add(not.node(), depth + 1, !isNegated);
      }
      default -> {
        Part part = new Part(depth, filter, texts.getOrDefault(filter, TermText.of(filter)));
        boolean isLookedUp = describe(part);
        IndexUse use = IndexUse.of(filter, store.layout().selections());
        part.test = new Test(filter, isNegated, use, isLookedUp);
      }
    }
  }

  /** Fills in what the planner has made of a part; returns whether it is looked up. */
  private boolean describe(Part part) {
    parts.add(part);
    if (!isPlanned) {
      return false;
    }
    CandidateNode node = trace.node(part.filter);
    boolean isTest =
        !(part.filter instanceof CompiledFilter.And
            || part.filter instanceof CompiledFilter.Or
            || part.filter instanceof CompiledFilter.Not);
    if (node == null) {
      part.note = isTest ? "not looked up: others leave few candidates" : "";
      return false;
    }
    if (node instanceof AllNode all) {
      part.note = all.isExact() ? "true for all" : isTest ? why(part.filter) : "";
      return false;
    }
    if (isTest) {
      part.index = index(part.filter);
      part.note = node.isExact() ? "" : "tested again";
    }
    // A fresh one: counting moves a node on, and parts of it with it.
    CandidateNode fresh = store.planner().plan(part.filter, 0);
    part.estimate = fresh.estimate(0);
    part.candidates = count(store.planner().plan(part.filter, 0));
    return true;
  }

  private String index(CompiledFilter test) {
    return switch (test) {
      case CompiledFilter.EntryDnTest _ -> "names";
      case CompiledFilter.EntryIds _ -> "references";
      case CompiledFilter.Constant _ -> "";
      default -> {
        IndexUse use = IndexUse.of(test, store.layout().selections());
        yield use.present().isEmpty() ? "no such attribute" : String.join(" ", use.present());
      }
    };
  }

  /** Why no index helps with a test. */
  private String why(CompiledFilter test) {
    IndexUse use = IndexUse.of(test, store.layout().selections());
    if (!use.missing().isEmpty()) {
      return "no index";
    }
    return switch (test) {
      case CompiledFilter.SubstringsTest _ ->
          use.isPossible() ? "too many values begin so" : "pieces too short for an index";
      case CompiledFilter.ValueTest _ ->
          use.isPossible() ? "too many values in the range" : "no index can answer it";
      case CompiledFilter.MemberOfTest _,
          CompiledFilter.ChainTest _,
          CompiledFilter.NumberTest _,
          CompiledFilter.HasSubordinatesTest _ ->
          "computed for each entry";
      default -> "no index can answer it";
    };
  }

  private static long count(CandidateNode node) {
    BlockSet set = new BlockSet();
    long count = 0;
    for (long block = node.nextBlock(0);
        block != CandidateNode.NONE;
        block = node.nextBlock(block + 1)) {
      node.load(block, set);
      count += set.cardinality();
    }
    return count;
  }

  /** What is tested by itself, in the order of the filter. */
  List<Test> tests() {
    List<Test> tests = new ArrayList<>();
    for (Part part : parts) {
      Test test = part.test;
      if (test != null) {
        tests.add(test);
      }
    }
    return tests;
  }

  /** Tries every test on an entry that was read. */
  void test(FilterMatcher matcher, EntryView view, AttributeTable table, EntryProbe probe) {
    for (Part part : parts) {
      Test test = part.test;
      if (test != null) {
        boolean isTrue = matcher.match(test.test(), view, table, probe) == Ternary.TRUE;
        part.matches = Math.max(0, part.matches) + (isTrue ? 1 : 0);
      }
    }
  }

  /** For how many entries each test was true. */
  IdentityHashMap<CompiledFilter, Long> matches() {
    IdentityHashMap<CompiledFilter, Long> matches = new IdentityHashMap<>();
    parts.forEach(part -> matches.put(part.filter, Math.max(0, part.matches)));
    return matches;
  }

  /** How a test is shown. */
  IdentityHashMap<CompiledFilter, String> texts() {
    IdentityHashMap<CompiledFilter, String> all = new IdentityHashMap<>();
    parts.forEach(part -> all.put(part.filter, part.text));
    return all;
  }

  /** The parts, each before those that it is made of. */
  List<Term> terms() {
    return parts.stream()
        .map(
            part ->
                new Term(
                    part.depth,
                    part.text,
                    part.index,
                    part.estimate,
                    part.candidates,
                    part.matches,
                    part.note))
        .toList();
  }

  /**
   * How tests are shown, where somebody knows better than the tests themselves.
   *
   * @param filter a filter
   * @param known tests with their texts; other objects than those of the filter
   */
  static IdentityHashMap<CompiledFilter, String> texts(
      CompiledFilter filter, Map<CompiledFilter, String> known) {
    Map<String, String> byContent = new HashMap<>();
    known.forEach((test, text) -> byContent.put(TermText.of(test), text));
    IdentityHashMap<CompiledFilter, String> texts = new IdentityHashMap<>();
    addTexts(filter, byContent, texts);
    return texts;
  }

  private static void addTexts(
      CompiledFilter filter,
      Map<String, String> byContent,
      IdentityHashMap<CompiledFilter, String> texts) {
    String own = TermText.of(filter);
    String known = byContent.get(own);
    if (known != null) {
      texts.put(filter, known);
    }
    switch (filter) {
      case CompiledFilter.And and -> and.nodes().forEach(n -> addTexts(n, byContent, texts));
      case CompiledFilter.Or or -> or.nodes().forEach(n -> addTexts(n, byContent, texts));
      case CompiledFilter.Not not -> addTexts(not.node(), byContent, texts);
      default -> texts.putIfAbsent(filter, own);
    }
  }

  /** Takes the texts of a filter over to the same filter with some tests resolved. */
  static void carryOver(
      CompiledFilter from, CompiledFilter to, IdentityHashMap<CompiledFilter, String> texts) {
    String text = texts.get(from);
    if (text != null) {
      texts.put(to, text);
    }
    if (from instanceof CompiledFilter.And one && to instanceof CompiledFilter.And other) {
      carryOver(one.nodes(), other.nodes(), texts);
    } else if (from instanceof CompiledFilter.Or one && to instanceof CompiledFilter.Or other) {
      carryOver(one.nodes(), other.nodes(), texts);
    } else if (from instanceof CompiledFilter.Not one && to instanceof CompiledFilter.Not other) {
      carryOver(one.node(), other.node(), texts);
    }
  }

  private static void carryOver(
      List<CompiledFilter> from,
      List<CompiledFilter> to,
      IdentityHashMap<CompiledFilter, String> texts) {
    for (int i = 0; i < from.size(); i++) {
      carryOver(from.get(i), to.get(i), texts);
    }
  }
}
