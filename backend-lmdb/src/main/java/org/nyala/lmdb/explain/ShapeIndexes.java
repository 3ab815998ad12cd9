package org.nyala.lmdb.explain;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.CompiledFilter.ValueItem.Comparison;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.FilterNode;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;
import org.nyala.core.traffic.FilterShape;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.LmdbSnapshot;
import org.nyala.lmdb.explain.SearchExplainer.IndexEstimate;
import org.nyala.lmdb.format.IndexDefinition;

/**
 * The indexes that filters without values use and lack: by the definitions of indexes, and by the
 * keys of some entries all over the store. No filter is carried out.
 *
 * <p>Confined to one thread. Each index is estimated once, and {@link #MOST_ESTIMATES} at most.
 */
public final class ShapeIndexes {
  /** The most indexes that are estimated: each takes some milliseconds of reading. */
  private static final int MOST_ESTIMATES = 40;

  /** Stands for a value; long enough for the pieces that an index of substrings needs. */
  private static final byte[] VALUE = {'?', '?', '?'};

  private static final long UNKNOWN = SearchExplanation.UNKNOWN;

  private final LmdbBackend backend;
  private final Schema schema;
  private final LongSupplier nanoClock;
  private final Map<IndexDefinition, IndexEstimate> estimates = new HashMap<>();

  /**
   * A part of a filter.
   *
   * @param depth the number of filters that contain it
   * @param text the text of the part; the operator alone if it has parts
   * @param present the indexes that answer it, each as attribute:kind
   * @param missing those that would answer it, and are not there
   * @param entriesPerValue the entries that one value leaves, by these indexes, on average; -1 if
   *     it is not known
   */
  public record Part(
      int depth, String text, List<String> present, List<String> missing, long entriesPerValue) {
    public Part {
      present = List.copyOf(present);
      missing = List.copyOf(missing);
    }
  }

  /**
   * Indexes with which a filter would be looked up.
   *
   * @param indexes each of one kind
   * @param bytes the approximate size of all
   * @param millis the approximate time to build them
   * @param entriesPerSearch the entries that they leave to a search, on average
   */
  public record Remedy(
      List<IndexDefinition> indexes, long bytes, long millis, long entriesPerSearch) {
    public Remedy {
      indexes = List.copyOf(indexes);
    }

    private Remedy and(Remedy other) {
      Set<IndexDefinition> all = new LinkedHashSet<>(indexes);
      all.addAll(other.indexes);
      return new Remedy(
          List.copyOf(all),
          bytes + other.bytes,
          millis + other.millis,
          entriesPerSearch + other.entriesPerSearch);
    }
  }

  public ShapeIndexes(LmdbBackend backend, LongSupplier nanoClock) {
    this.backend = backend;
    this.schema = backend.extendedSchema().schema();
    this.nanoClock = nanoClock;
  }

  /**
   * Returns the missing indexes that would leave a search the fewest entries; nothing if none would
   * help, or what is there is as good.
   *
   * @param filter a filter whose names are those of the schema, with any values
   */
  public Optional<Remedy> remedy(FilterNode filter) {
    Remedy found = best(placeholder(filter));
    return found == null || found.indexes().isEmpty() ? Optional.empty() : Optional.of(found);
  }

  /** Returns the best way to look a filter up, which may lack nothing; null if there is none. */
  private @Nullable Remedy best(CompiledFilter filter) {
    return switch (filter) {
      case CompiledFilter.And and -> {
        Remedy best = null;
        for (CompiledFilter part : and.nodes()) {
          Remedy found = best(part);
          boolean isBetter =
              found != null
                  && (best == null
                      || found.entriesPerSearch() < best.entriesPerSearch()
                      || found.entriesPerSearch() == best.entriesPerSearch()
                          && found.indexes().isEmpty());
          best = isBetter ? found : best;
        }
        yield best;
      }
      case CompiledFilter.Or or -> {
        Remedy all = new Remedy(List.of(), 0, 0, 0);
        for (CompiledFilter part : or.nodes()) {
          Remedy found = all == null ? null : best(part);
          all = found == null || all == null ? null : all.and(found);
        }
        yield all;
      }
      case CompiledFilter.Not _ -> null;
      case CompiledFilter.Constant constant ->
          // A name that the schema does not have: nothing is found, and nothing read.
          constant.value() == Ternary.TRUE ? null : new Remedy(List.of(), 0, 0, 0);
      default -> single(filter);
    };
  }

  private @Nullable Remedy single(CompiledFilter test) {
    IndexUse use = use(test);
    if (!use.isPossible() || use.present().isEmpty() && use.missing().isEmpty()) {
      return null;
    }
    Remedy all = new Remedy(List.of(), 0, 0, 0);
    for (IndexDefinition each : use.present()) {
      IndexEstimate estimate = estimate(each);
      if (estimate == null) {
        return null;
      }
      all = all.and(new Remedy(List.of(), 0, 0, estimate.entriesPerKey()));
    }
    for (IndexDefinition each : use.missing()) {
      IndexEstimate estimate = estimate(each);
      if (estimate == null) {
        return null;
      }
      all =
          all.and(
              new Remedy(
                  List.of(each),
                  estimate.bytes(),
                  TimeUnit.NANOSECONDS.toMillis(estimate.nanos()),
                  estimate.entriesPerKey()));
    }
    return all;
  }

  /** Returns the approximate size of an index; -1 if there have been enough estimates. */
  public long bytes(IndexDefinition index) {
    IndexEstimate estimate = estimate(index);
    return estimate == null ? UNKNOWN : estimate.bytes();
  }

  private @Nullable IndexEstimate estimate(IndexDefinition index) {
    IndexEstimate known = estimates.get(index);
    if (known == null && estimates.size() < MOST_ESTIMATES) {
      try (LmdbSnapshot store = SearchExplainer.begin(backend)) {
        known = IndexEstimate.of(store, index, nanoClock);
      }
      estimates.put(index, known);
    }
    return known;
  }

  private IndexUse use(CompiledFilter test) {
    try (LmdbSnapshot store = SearchExplainer.begin(backend)) {
      return IndexUse.of(test, store.layout().selections());
    }
  }

  /**
   * Returns the parts of a filter, each before its own parts.
   *
   * @param filter a filter whose names are those of the schema, with any values
   */
  public List<Part> parts(FilterNode filter) {
    List<Part> parts = new ArrayList<>();
    add(filter, 0, parts);
    return parts;
  }

  private void add(FilterNode filter, int depth, List<Part> parts) {
    switch (filter) {
      case FilterNode.And and -> addAll("&", and.nodes(), depth, parts);
      case FilterNode.Or or -> addAll("|", or.nodes(), depth, parts);
      case FilterNode.Not not -> addAll("!", List.of(not.node()), depth, parts);
      default -> {
        StringBuilder text = new StringBuilder();
        new FilterShape(text, Integer.MAX_VALUE, UnaryOperator.identity()).append(filter);
        IndexUse use = use(placeholder(filter));
        parts.add(
            new Part(
                depth, text.toString(), texts(use.present()), texts(use.missing()), entries(use)));
      }
    }
  }

  private void addAll(String operator, List<FilterNode> nodes, int depth, List<Part> parts) {
    parts.add(new Part(depth, operator, List.of(), List.of(), UNKNOWN));
    nodes.forEach(node -> add(node, depth + 1, parts));
  }

  private static List<String> texts(List<IndexDefinition> indexes) {
    return indexes.stream().map(IndexDefinition::toString).toList();
  }

  private long entries(IndexUse use) {
    List<IndexDefinition> all = new ArrayList<>(use.present());
    all.addAll(use.missing());
    long sum = 0;
    for (IndexDefinition each : all) {
      IndexEstimate estimate = estimate(each);
      if (estimate == null) {
        return UNKNOWN;
      }
      sum += estimate.entriesPerKey();
    }
    return all.isEmpty() || !use.isPossible() ? UNKNOWN : sum;
  }

  /** Returns a filter of the same tests, for the rules alone: its values are of no syntax. */
  private CompiledFilter placeholder(FilterNode filter) {
    return switch (filter) {
      case FilterNode.And and -> {
        List<CompiledFilter> parts = and.nodes().stream().map(this::placeholder).toList();
        yield parts.isEmpty() ? CompiledFilter.Constant.TRUE : new CompiledFilter.And(parts);
      }
      case FilterNode.Or or -> {
        List<CompiledFilter> parts = or.nodes().stream().map(this::placeholder).toList();
        yield parts.isEmpty() ? CompiledFilter.Constant.FALSE : new CompiledFilter.Or(parts);
      }
      case FilterNode.Not not -> new CompiledFilter.Not(placeholder(not.node()));
      case FilterNode.Equality item -> value(item.attribute(), Comparison.EQUALITY);
      case FilterNode.Approximate item -> value(item.attribute(), Comparison.EQUALITY);
      case FilterNode.GreaterOrEqual item -> value(item.attribute(), Comparison.GREATER_OR_EQUAL);
      case FilterNode.LessOrEqual item -> value(item.attribute(), Comparison.LESS_OR_EQUAL);
      case FilterNode.Present item -> {
        AttributeType type = type(item.attribute());
        if (type == null) {
          yield CompiledFilter.Constant.UNDEFINED;
        }
        // Every entry has a class: no index chooses any.
        yield type.name().equals("objectClass")
            ? CompiledFilter.Constant.TRUE
            : new CompiledFilter.Presence(selector(type));
      }
      case FilterNode.Substrings item -> {
        AttributeType type = type(item.attribute());
        MatchingRule rule = type == null ? null : type.substrings();
        if (type == null || rule == null) {
          yield CompiledFilter.Constant.UNDEFINED;
        }
        // Pieces in the middle and at the end are found by the same index.
        yield item.initial() == null
            ? CompiledFilter.SubstringsItem.containing(selector(type), rule, VALUE)
            : CompiledFilter.SubstringsItem.beginning(selector(type), rule, VALUE);
      }
      case FilterNode.Extensible item -> extensible(item);
    };
  }

  private CompiledFilter value(String attribute, Comparison comparison) {
    AttributeType type = type(attribute);
    MatchingRule rule =
        type == null ? null : comparison == Comparison.EQUALITY ? type.equality() : type.ordering();
    return type == null || rule == null
        ? CompiledFilter.Constant.UNDEFINED
        : new CompiledFilter.ValueItem(selector(type), comparison, rule, VALUE);
  }

  private CompiledFilter extensible(FilterNode.Extensible item) {
    AttributeType type = item.attribute() == null ? null : type(item.attribute());
    MatchingRule rule =
        item.rule() != null
            ? schema.matchingRule(item.rule())
            : type == null ? null : type.equality();
    return type == null || rule == null
        ? CompiledFilter.Constant.UNDEFINED
        : new CompiledFilter.ExtensibleItem(selector(type), rule, VALUE, item.dnAttributes());
  }

  private static AttributeSelector selector(AttributeType type) {
    return new AttributeSelector(AttributeDescription.of(type));
  }

  private @Nullable AttributeType type(String description) {
    int options = description.indexOf(';');
    return schema.attributeType(options < 0 ? description : description.substring(0, options));
  }
}
