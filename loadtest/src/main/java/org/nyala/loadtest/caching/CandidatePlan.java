package org.nyala.loadtest.caching;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.CompiledFilter.ValueItem.Comparison;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.MatchingRule;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.lmdb.format.IndexSelections.Selected;
import org.nyala.lmdb.format.StoreLayout;

/**
 * Chooses the candidates of a search: by equality indexes, and by the parent in searches of one
 * level; all entries for the rest. Confined to its transaction.
 */
final class CandidatePlan {
  private final StoreLayout layout;
  private final PostingReader postings;
  private final long lastId;
  private final ByteAppender prefix = new ByteAppender(64);

  CandidatePlan(StoreLayout layout, PostingReader postings, long lastId) {
    this.layout = layout;
    this.postings = postings;
    this.lastId = lastId;
  }

  /** Returns the candidates of a search; entries are tested for filter and scope afterwards. */
  Candidates of(SearchSpec spec) {
    Candidates matching = of(spec.filter());
    if (matching != null) {
      List<Candidates> nodes = new ArrayList<>(List.of(matching));
      if (spec.withReferrals()) {
        nodes.add(flagged(EntryRecord.REFERRAL));
      }
      if (spec.withAliases()) {
        nodes.add(flagged(EntryRecord.ALIAS));
      }
      matching = nodes.size() == 1 ? matching : Candidates.either(nodes);
    }
    if (spec.scope() == Scope.ONE_LEVEL) {
      Candidates below = below(spec.baseId());
      return matching == null ? below : Candidates.both(List.of(matching, below));
    }
    return matching == null ? Candidates.all(lastId) : matching;
  }

  /** Returns the entries with a flag of {@link EntryRecord}. */
  Candidates flagged(int flag) {
    IndexKeys.appendFlagPrefix(flag, prefix.clear());
    return postings.of(prefix);
  }

  /** Returns the entries directly below a parent. */
  Candidates below(long parentId) {
    IndexKeys.appendParentPrefix(parentId, prefix.clear());
    return postings.of(prefix);
  }

  /** Returns the candidates of a filter; null for all entries. */
  private @Nullable Candidates of(CompiledFilter filter) {
    return switch (filter) {
      case CompiledFilter.Constant constant ->
          constant.value() == Ternary.TRUE ? null : Candidates.NOTHING;
      case CompiledFilter.And and -> all(and.nodes());
      case CompiledFilter.Or or -> any(or.nodes());
      case CompiledFilter.ValueItem test when test.comparison() == Comparison.EQUALITY ->
          equality(test.attribute(), test.rule(), test.assertion());
      default -> null;
    };
  }

  private @Nullable Candidates all(List<CompiledFilter> parts) {
    List<Candidates> nodes = new ArrayList<>();
    for (CompiledFilter part : parts) {
      Candidates node = of(part);
      if (node != null) {
        nodes.add(node);
      }
    }
    return nodes.isEmpty() ? null : Candidates.both(nodes);
  }

  private @Nullable Candidates any(List<CompiledFilter> parts) {
    List<Candidates> nodes = new ArrayList<>();
    for (CompiledFilter part : parts) {
      Candidates node = of(part);
      if (node == null) {
        return null;
      }
      nodes.add(node);
    }
    return Candidates.either(nodes);
  }

  private @Nullable Candidates equality(
      AttributeSelector attribute, MatchingRule rule, byte[] assertion) {
    List<Candidates> nodes = new ArrayList<>();
    for (Selected type : layout.selections().of(attribute)) {
      if (!type.answersEquality(rule)) {
        return null;
      }
      IndexKeys.appendPrefix(
          type.attribute(), IndexKind.EQUALITY, assertion, 0, assertion.length, prefix.clear());
      nodes.add(postings.of(prefix));
    }
    return Candidates.either(nodes);
  }
}
