package org.nyala.lmdb.explain;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryFacts;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Ternary;
import org.nyala.lmdb.LmdbSnapshot;
import org.nyala.lmdb.explain.SearchExplanation.Term;
import org.nyala.lmdb.posting.BlockSet;
import org.nyala.lmdb.search.AllNode;
import org.nyala.lmdb.search.CandidateNode;
import org.nyala.lmdb.search.KeptPlan;
import org.nyala.lmdb.search.PlanTrace;

/**
 * The parts of a filter with the planner's treatment of them, and the number of entries for which
 * they were true.
 *
 * <p>Confined to one running operation.
 */
final class ExplainedTerms {
  private static final long UNKNOWN = SearchExplanation.UNKNOWN;

  /**
   * A part of the filter that is a test by itself.
   *
   * @param test the test
   * @param use the indexes that answer it
   */
  record Item(CompiledFilter test, IndexUse use) {}

  private final LmdbSnapshot store;
  private final KeptPlan kept;
  private final PlanTrace trace;
  private final boolean isPlanned;
  private final CompiledFilter whole;
  private final IdentityHashMap<CompiledFilter, String> texts;
  private final BooleanSupplier isCountingOver;
  private final List<Part> parts = new ArrayList<>();

  /** A part and the facts learnt about it; matches change while entries are tested. */
  private static final class Part {
    private final int depth;
    private final CompiledFilter filter;
    private final String text;
    private @Nullable Item test;
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
   * Describes a filter that has been planned.
   *
   * @param kept the ranges that were collected
   * @param isPlanned true if candidates are looked for at all
   * @param texts the texts of tests, by identity
   * @param isCountingOver returns whether the time for counting candidates is over
   */
  ExplainedTerms(
      LmdbSnapshot store,
      KeptPlan kept,
      PlanTrace trace,
      boolean isPlanned,
      CompiledFilter filter,
      IdentityHashMap<CompiledFilter, String> texts,
      BooleanSupplier isCountingOver) {
    this.store = store;
    this.kept = kept;
    this.trace = trace;
    this.isPlanned = isPlanned;
    this.whole = filter;
    this.texts = texts;
    this.isCountingOver = isCountingOver;
    add(filter, 0, "");
  }

  /**
   * Adds a filter and its parts.
   *
   * @param vain the reason why looking it up is of no use; empty if it is of use
   */
  private void add(CompiledFilter filter, int depth, String vain) {
    switch (filter) {
      case CompiledFilter.And and -> {
        describe(new Part(depth, filter, texts.getOrDefault(filter, "&")), vain);
        and.nodes().forEach(node -> add(node, depth + 1, vain));
      }
      case CompiledFilter.Or or -> {
        describe(new Part(depth, filter, texts.getOrDefault(filter, "|")), vain);
        String below = isForAll(or) ? "in vain: another part of the OR is not" : vain;
        or.nodes().forEach(node -> add(node, depth + 1, below));
      }
      case CompiledFilter.Not not -> {
        describe(new Part(depth, filter, texts.getOrDefault(filter, "!")), vain);
        String below = isForAll(not) ? "in vain: a NOT needs an exact part" : vain;
        add(not.node(), depth + 1, below);
      }
      default -> {
        Part part = new Part(depth, filter, texts.getOrDefault(filter, TermText.of(filter)));
        describe(part, vain);
        part.test = new Item(filter, IndexUse.of(filter, store.layout().selections()));
      }
    }
  }

  /** Returns whether the planner takes all entries for candidates of a part. */
  private boolean isForAll(CompiledFilter filter) {
    return trace.node(filter) instanceof AllNode all && !all.isExact();
  }

  /** Fills in the planner's treatment of a part. */
  private void describe(Part part, String vain) {
    parts.add(part);
    if (!isPlanned) {
      return;
    }
    CandidateNode node = trace.node(part.filter);
    boolean isTest =
        !(part.filter instanceof CompiledFilter.And
            || part.filter instanceof CompiledFilter.Or
            || part.filter instanceof CompiledFilter.Not);
    if (node == null) {
      part.note = isTest ? notLookedUp(part.filter, vain) : "";
      return;
    }
    if (node instanceof AllNode all) {
      part.note = all.isExact() ? "true for all" : isTest ? why(part.filter) : "";
      return;
    }
    if (!isCountingOver.getAsBoolean()) {
      // Fresh nodes are needed: counting moves a node on, and parts of it with it.
      part.estimate = store.planner().planWhole(part.filter, kept).estimate(0);
      part.candidates = count(store.planner().planWhole(part.filter, kept));
    }
    if (isTest) {
      part.index = index(part.filter);
      part.note = !vain.isEmpty() ? vain : node.isExact() ? "" : narrowed(part.candidates);
    }
  }

  /** Describes an index that returns more entries than match; the number may be unknown. */
  private static String narrowed(long candidates) {
    return candidates == UNKNOWN
        ? "narrows the search, each candidate is checked"
        : "narrows to " + candidates + ", each checked";
  }

  private String notLookedUp(CompiledFilter test, String vain) {
    if (trace.isCovered(test)) {
      return "not looked up: another range says the same";
    }
    if (vain.isEmpty()) {
      return "not looked up: others leave few candidates";
    }
    return IndexUse.of(test, store.layout().selections()).missing().isEmpty() ? vain : "no index";
  }

  private String index(CompiledFilter test) {
    return switch (test) {
      case CompiledFilter.EntryDnItem _ -> "names";
      case CompiledFilter.EntryIds _ -> "references";
      case CompiledFilter.Constant _ -> "";
      default -> {
        IndexUse use = IndexUse.of(test, store.layout().selections());
        yield use.present().isEmpty() ? "no entry has it" : use.presentText();
      }
    };
  }

  /** Returns the reason why no index helps with a test. */
  private String why(CompiledFilter test) {
    IndexUse use = IndexUse.of(test, store.layout().selections());
    if (!use.missing().isEmpty()) {
      return "no index";
    }
    return switch (test) {
      case CompiledFilter.SubstringsItem _ ->
          use.isPossible() ? "too many values begin so" : "pieces too short for an index";
      case CompiledFilter.ValueItem _ ->
          use.isPossible() ? "too many values in the range" : "no index can answer it";
      case CompiledFilter.MemberOfItem _,
          CompiledFilter.ChainItem _,
          CompiledFilter.NumberItem _,
          CompiledFilter.ContextCsnItem _,
          CompiledFilter.HasSubordinatesItem _ ->
          "computed for each entry";
      default -> "no index can answer it";
    };
  }

  private long count(CandidateNode node) {
    BlockSet set = new BlockSet();
    long count = 0;
    for (long block = node.nextBlock(0);
        block != CandidateNode.NONE;
        block = node.nextBlock(block + 1)) {
      if (isCountingOver.getAsBoolean()) {
        return UNKNOWN;
      }
      node.load(block, set);
      count += set.cardinality();
    }
    return count;
  }

  /**
   * Returns the tests whose missing indexes would leave fewer candidates, in the order of the
   * filter. An index for a part of an OR is of no use if another part cannot have one.
   */
  List<Item> improvable() {
    IdentityHashMap<CompiledFilter, Item> tests = new IdentityHashMap<>();
    for (Part part : parts) {
      Item test = part.test;
      if (test != null) {
        tests.put(part.filter, test);
      }
    }
    List<Item> found = new ArrayList<>();
    addImprovable(whole, tests, found);
    return found;
  }

  private void addImprovable(
      CompiledFilter filter, IdentityHashMap<CompiledFilter, Item> tests, List<Item> found) {
    switch (filter) {
      case CompiledFilter.And and -> and.nodes().forEach(node -> addImprovable(node, tests, found));
      case CompiledFilter.Or or -> {
        if (mayBeLookedUp(or, tests)) {
          or.nodes().forEach(node -> addImprovable(node, tests, found));
        }
      }
      case CompiledFilter.Not _ -> {
        // The NOT of a selective test leaves most entries, so an index would not help.
      }
      default -> {
        Item test = tests.get(filter);
        if (test != null && test.use().isPossible() && !test.use().missing().isEmpty()) {
          found.add(test);
        }
      }
    }
  }

  /** Returns whether a part is looked up, or would be if all possible indexes were there. */
  private boolean mayBeLookedUp(
      CompiledFilter filter, IdentityHashMap<CompiledFilter, Item> tests) {
    return switch (filter) {
      case CompiledFilter.And and ->
          and.nodes().stream().anyMatch(node -> mayBeLookedUp(node, tests));
      case CompiledFilter.Or or -> or.nodes().stream().allMatch(node -> mayBeLookedUp(node, tests));
      case CompiledFilter.Not not -> trace.node(not) != null && !isForAll(not);
      default -> {
        Item test = tests.get(filter);
        boolean isMissing =
            test != null && test.use().isPossible() && !test.use().missing().isEmpty();
        CandidateNode node = trace.node(filter);
        boolean isKnown = test != null && node == null && test.use().isPossible();
        yield isMissing || isKnown || node != null && !(node instanceof AllNode);
      }
    };
  }

  /** Tries every test on an entry that was read. */
  void test(FilterMatcher matcher, EntryView view, AttributeTable table, EntryFacts probe) {
    for (Part part : parts) {
      Item test = part.test;
      if (test != null) {
        boolean isTrue = matcher.match(test.test(), view, table, probe) == Ternary.TRUE;
        part.matches = Math.max(0, part.matches) + (isTrue ? 1 : 0);
      }
    }
  }

  /** Returns the number of entries for which each test was true. */
  IdentityHashMap<CompiledFilter, Long> matches() {
    IdentityHashMap<CompiledFilter, Long> matches = new IdentityHashMap<>();
    parts.forEach(part -> matches.put(part.filter, Math.max(0, part.matches)));
    return matches;
  }

  /** Returns the text of each test. */
  IdentityHashMap<CompiledFilter, String> texts() {
    IdentityHashMap<CompiledFilter, String> all = new IdentityHashMap<>();
    parts.forEach(part -> all.put(part.filter, part.text));
    return all;
  }

  /** Returns the parts, each before its own parts. */
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
   * Returns the texts of a filter's tests, taken from the known ones with the same content.
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

  /**
   * Tests of filters as text. Two tests with the same text ask the same: bytes other than plain
   * text are shown as hexadecimal digits behind backslashes, and plain text has none of these.
   */
  static final class TermText {
    private TermText() {}

    /** Returns the text of a test, with its value normalised. */
    static String of(CompiledFilter test) {
      return switch (test) {
        case CompiledFilter.Constant constant -> constant.value().name().toLowerCase(Locale.ROOT);
        case CompiledFilter.And and -> all("(&", and.nodes());
        case CompiledFilter.Or or -> all("(|", or.nodes());
        case CompiledFilter.Not not -> "(!" + of(not.node()) + ")";
        case CompiledFilter.Presence presence -> "(" + presence.attribute() + "=*)";
        case CompiledFilter.ValueItem value ->
            item(
                value.attribute(),
                switch (value.comparison()) {
                  case EQUALITY -> "=";
                  case GREATER_OR_EQUAL -> ">=";
                  case LESS_OR_EQUAL -> "<=";
                },
                value.assertion());
        case CompiledFilter.SubstringsItem pieces -> substrings(pieces);
        case CompiledFilter.ExtensibleItem extensible ->
            "("
                + (extensible.attribute() == null ? "" : extensible.attribute())
                + (extensible.dnAttributes() ? ":dn" : "")
                + ":"
                + extensible.rule().oid()
                + ":="
                + value(extensible.assertion())
                + ")";
        case CompiledFilter.EntryDnItem name -> "(entryDN=" + name.dn() + ")";
        case CompiledFilter.HasSubordinatesItem below ->
            "(hasSubordinates=" + below.expected() + ")";
        case CompiledFilter.NumberItem number ->
            "(" + number.number() + " in " + number.least() + ".." + number.greatest() + ")";
        case CompiledFilter.ContextCsnItem csn -> contextCsn(csn);
        case CompiledFilter.MemberOfItem member ->
            "(memberOf" + (member.isTransitive() ? ":chain:" : "") + "=" + group(member) + ")";
        case CompiledFilter.ChainItem chain ->
            "(" + chain.attribute() + ":chain:=" + chain.name() + ")";
        case CompiledFilter.EntryIds ids -> "(one of " + ids.ids().length + " entries)";
      };
    }

    private static String all(String operator, List<CompiledFilter> nodes) {
      StringBuilder text = new StringBuilder(operator);
      nodes.forEach(node -> text.append(of(node)));
      return text.append(')').toString();
    }

    private static String contextCsn(CompiledFilter.ContextCsnItem test) {
      String operator =
          switch (test.comparison()) {
            case null -> "=*";
            case EQUALITY -> "=";
            case GREATER_OR_EQUAL -> ">=";
            case LESS_OR_EQUAL -> "<=";
          };
      return "(contextCSN" + operator + value(test.assertion()) + ")";
    }

    private static Object group(CompiledFilter.MemberOfItem member) {
      return member.group() == null ? "*" : member.group();
    }

    private static String item(AttributeSelector attribute, String operator, byte[] value) {
      return "(" + attribute + operator + value(value) + ")";
    }

    private static String substrings(CompiledFilter.SubstringsItem pieces) {
      StringBuilder text = new StringBuilder("(").append(pieces.attribute()).append('=');
      text.append(optional(pieces.initial())).append('*');
      for (byte[] piece : pieces.any()) {
        text.append(value(piece)).append('*');
      }
      return text.append(optional(pieces.last())).append(')').toString();
    }

    private static String optional(byte @Nullable [] value) {
      return value == null ? "" : value(value);
    }

    private static String value(byte[] value) {
      String text = new String(value, UTF_8);
      boolean isPlain =
          text.chars().noneMatch(c -> c < ' ' || c == 0x7f || c == 0xfffd || c == '\\');
      return isPlain ? text : HexFormat.of().withPrefix("\\").formatHex(value);
    }
  }
}
