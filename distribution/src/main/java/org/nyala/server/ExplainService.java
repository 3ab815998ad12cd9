package org.nyala.server;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.config.NeededIndexes;
import org.nyala.config.NyalaConfig;
import org.nyala.core.directory.SearchExplainers;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.FilterParser;
import org.nyala.core.filter.Membership;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.explain.SearchExplainer;
import org.nyala.lmdb.explain.SearchExplanation;
import org.nyala.log.LogText;
import org.nyala.management.bean.ExplainMXBean;

/**
 * Explains searches as a server with a configuration would execute them: in a running server for
 * JMX, and in a command without one.
 *
 * <p>Thread-safe.
 */
public final class ExplainService implements ExplainMXBean {
  private final LmdbBackend backend;
  private final NyalaConfig configuration;
  private final LongSupplier nanoClock;
  private final AtomicLong explained = new AtomicLong();

  public ExplainService(LmdbBackend backend, NyalaConfig configuration, LongSupplier nanoClock) {
    this.backend = backend;
    this.configuration = configuration;
    this.nanoClock = nanoClock;
  }

  @Override
  public long getExplained() {
    return explained.get();
  }

  @Override
  public SearchExplanation explain(String base, String scope, String filter, int seconds) {
    if (seconds < 1 || seconds > MAXIMUM_SECONDS) {
      throw new IllegalArgumentException(
          "seconds: expected 1 to " + MAXIMUM_SECONDS + ", found " + seconds);
    }
    Scope wanted = scope(scope);
    Schema schema = backend.extendedSchema().schema();
    Dn name = dn(schema, base);
    FilterNode node = FilterParser.parse(filter);
    Membership membership = membership(schema);
    FilterCompiler compiler = compiler(schema, membership);
    try {
      return explain(
          new SearchExplainer.Question(
              name,
              wanted,
              compiler.compileOwn(node),
              texts(compiler, node),
              unknownAttributes(schema, node),
              maximumGroups(membership),
              TimeUnit.SECONDS.toNanos(seconds),
              () -> true));
    } catch (FilterLimitException e) {
      throw new IllegalArgumentException(ErrorMessages.line(e));
    }
  }

  /**
   * Explains a search of a client.
   *
   * @throws IllegalArgumentException if the base entry no longer exists
   */
  SearchExplanation explain(SearchExplainers.Question asked) {
    Schema schema = backend.extendedSchema().schema();
    Membership membership = membership(schema);
    Map<CompiledFilter, String> texts;
    try {
      texts = texts(compiler(schema, membership), asked.filter());
    } catch (FilterLimitException e) {
      throw new IllegalArgumentException(ErrorMessages.line(e));
    }
    return explain(
        new SearchExplainer.Question(
            asked.base(),
            asked.scope(),
            asked.compiled(),
            texts,
            unknownAttributes(schema, asked.filter()),
            maximumGroups(membership),
            TimeUnit.SECONDS.toNanos(asked.seconds()),
            asked.isWanted()));
  }

  private SearchExplanation explain(SearchExplainer.Question question) {
    SearchExplanation explanation = SearchExplainer.explain(backend, nanoClock, question);
    explained.incrementAndGet();
    return explanation;
  }

  /** Returns the membership; a JMX client does not have the exceptions of the configuration. */
  private @Nullable Membership membership(Schema schema) {
    try {
      return NeededIndexes.rules(configuration, schema, Optional.empty()).membership();
    } catch (ConfigurationException e) {
      throw new IllegalArgumentException(ErrorMessages.line(e));
    }
  }

  private static int maximumGroups(@Nullable Membership membership) {
    return membership == null ? 1 : membership.maximumGroups();
  }

  private static Map<CompiledFilter, String> texts(FilterCompiler compiler, FilterNode node)
      throws FilterLimitException {
    Map<CompiledFilter, String> texts = new HashMap<>();
    addTexts(compiler, node, texts);
    return texts;
  }

  private static Scope scope(String label) {
    for (Scope each : Scope.values()) {
      if (each.label().equals(label)) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        "'" + label + "': expected the scope base, one, sub or children");
  }

  private FilterCompiler compiler(Schema schema, @Nullable Membership membership) {
    ServerLimits limits = configuration.limits();
    return new FilterCompiler(
        schema,
        new Shown(membership),
        limits.requests().filterDepth(),
        limits.requests().filterNodes(),
        membership);
  }

  /** The context of clients' filters. */
  private record Shown(@Nullable Membership membership) implements AttributeSelection.Visibility {
    @Override
    public boolean isVisible(AttributeType type) {
      return !type.isSecret();
    }

    @Override
    public boolean isStored(AttributeType type) {
      return membership == null || !membership.computes(type);
    }
  }

  /** Returns the names in a filter, without options, that the schema has no attribute for. */
  private static List<String> unknownAttributes(Schema schema, FilterNode filter) {
    Set<String> unknown = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    addUnknown(schema, filter, unknown);
    return List.copyOf(unknown);
  }

  private static void addUnknown(Schema schema, FilterNode filter, Set<String> unknown) {
    switch (filter) {
      case FilterNode.And and -> and.nodes().forEach(node -> addUnknown(schema, node, unknown));
      case FilterNode.Or or -> or.nodes().forEach(node -> addUnknown(schema, node, unknown));
      case FilterNode.Not not -> addUnknown(schema, not.node(), unknown);
      case FilterNode.Equality item -> addUnknown(schema, item.attribute(), unknown);
      case FilterNode.Approximate item -> addUnknown(schema, item.attribute(), unknown);
      case FilterNode.Substrings item -> addUnknown(schema, item.attribute(), unknown);
      case FilterNode.GreaterOrEqual item -> addUnknown(schema, item.attribute(), unknown);
      case FilterNode.LessOrEqual item -> addUnknown(schema, item.attribute(), unknown);
      case FilterNode.Present item -> addUnknown(schema, item.attribute(), unknown);
      case FilterNode.Extensible item -> {
        if (item.attribute() != null) {
          addUnknown(schema, item.attribute(), unknown);
        }
      }
    }
  }

  private static void addUnknown(Schema schema, String description, Set<String> unknown) {
    int options = description.indexOf(';');
    String name = options < 0 ? description : description.substring(0, options);
    if (schema.attributeType(name) == null) {
      unknown.add(name);
    }
  }

  /** Adds the original text of each item of the filter. */
  private static void addTexts(
      FilterCompiler compiler, FilterNode node, Map<CompiledFilter, String> texts)
      throws FilterLimitException {
    switch (node) {
      case FilterNode.And and -> addTexts(compiler, and.nodes(), texts);
      case FilterNode.Or or -> addTexts(compiler, or.nodes(), texts);
      case FilterNode.Not not -> addTexts(compiler, not.node(), texts);
      default -> {
        CompiledFilter test = compiler.compileOwn(node);
        // Many items may have been compiled to the same constant.
        if (!(test instanceof CompiledFilter.Constant)) {
          texts.put(test, LogText.filter(node));
        }
      }
    }
  }

  private static void addTexts(
      FilterCompiler compiler, List<FilterNode> nodes, Map<CompiledFilter, String> texts)
      throws FilterLimitException {
    for (FilterNode node : nodes) {
      addTexts(compiler, node, texts);
    }
  }

  private static Dn dn(Schema schema, String text) {
    try {
      return DnParser.parse(schema, text);
    } catch (InvalidDnException e) {
      throw new IllegalArgumentException(
          "the base '" + text + "' is no DN: " + ErrorMessages.line(e));
    }
  }
}
