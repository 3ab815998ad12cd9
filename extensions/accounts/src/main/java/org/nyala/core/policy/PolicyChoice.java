package org.nyala.core.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.PolicyRule;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterCompiler;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.FilterParser;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.FilterNode;
import org.nyala.core.schema.Schema;

/**
 * The rules that choose the policies of entries that name none.
 *
 * <p>Thread-safe. A filter that needs more than the entry itself, such as {@code memberOf}, does
 * not match.
 */
public final class PolicyChoice {
  private static final int MOST_DEPTH = 20;
  private static final int MOST_NODES = 200;
  private static final List<String> MEMBERS = List.of("member", "uniqueMember");

  private final Schema schema;
  private final FilterCompiler compiler;
  private final List<Compiled> rules = new ArrayList<>();

  private record Compiled(PolicyRule rule, @Nullable CompiledFilter filter) {}

  /**
   * Creates the choice by some rules.
   *
   * @throws IllegalArgumentException if the filter of one is none, or is too large
   */
  public PolicyChoice(Schema schema, List<PolicyRule> rules) {
    this.schema = schema;
    this.compiler = new FilterCompiler(schema, _ -> true, MOST_DEPTH, MOST_NODES, null);
    for (PolicyRule rule : rules) {
      this.rules.add(new Compiled(rule, compiled(rule.filter())));
    }
  }

  private @Nullable CompiledFilter compiled(@Nullable String text) {
    return text == null ? null : compiled(FilterParser.parse(text));
  }

  private CompiledFilter compiled(FilterNode filter) {
    try {
      return compiler.compileOwn(filter);
    } catch (FilterLimitException e) {
      throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Returns whether there are no rules. */
  boolean isEmpty() {
    return rules.isEmpty();
  }

  /**
   * Returns the result of a reader for the policy that the first rule chooses which fits an entry;
   * if that is null, because there is no such policy, for the next one. Null if none is left.
   */
  <T> @Nullable T find(
      EntryView entry,
      AttributeTable table,
      ReadTransaction transaction,
      Function<Dn, @Nullable T> reader) {
    FilterMatcher matcher = new FilterMatcher(schema, _ -> true);
    Dn name = DnParser.parseStored(schema, entry.dn());
    T found = null;
    for (int i = 0; i < rules.size() && found == null; i++) {
      Compiled each = rules.get(i);
      Dn subtree = each.rule().subtree();
      Dn group = each.rule().group();
      CompiledFilter filter = each.filter();
      boolean fits =
          (subtree == null || name.isWithin(subtree))
              && (filter == null || matcher.match(filter, entry, table, _ -> false) == Ternary.TRUE)
              && (group == null || isListed(name, group, matcher, transaction));
      found = fits ? reader.apply(each.rule().policy()) : null;
    }
    return found;
  }

  private boolean isListed(Dn name, Dn group, FilterMatcher matcher, ReadTransaction transaction) {
    List<FilterNode> either = new ArrayList<>(MEMBERS.size());
    for (String member : MEMBERS) {
      either.add(new FilterNode.Equality(member, name.raw()));
    }
    CompiledFilter filter = compiled(new FilterNode.Or(either));
    return Boolean.TRUE.equals(
        transaction.<Boolean>readAside(
            transaction.find(group),
            view ->
                matcher.match(filter, view, transaction.attributes(), _ -> false) == Ternary.TRUE));
  }
}
