package org.nyala.lmdb;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.search.AttributeSelector;
import org.nyala.core.search.CompiledFilter;
import org.nyala.core.search.Ternary;
import org.nyala.lmdb.IndexSelections.Selected;

/**
 * Turns a filter into candidates: what an index can answer becomes a node, the rest is left to
 * testing the entries.
 *
 * <p>Confined to one running operation. {@link AllNode} never stands below another node: it is
 * dropped from an AND and swallows an OR.
 */
final class CandidatePlanner {
  /** With so few candidates at hand, testing them costs less than another look-up. */
  private static final long FEW = 8;

  /** With so few candidates at hand, collecting a range does not pay. */
  private static final long FEW_FOR_RANGE = 2048;

  /** Grams of one assertion that are looked up. */
  private static final int MAXIMUM_GRAMS = 16;

  private final LmdbSnapshot reader;
  private final PostingReader postings;
  private final RangeScan ranges;
  private long from;
  private @Nullable PlanTrace trace;

  CandidatePlanner(LmdbSnapshot reader, PostingReader postings) {
    this.reader = reader;
    this.postings = postings;
    this.ranges = new RangeScan(postings);
  }

  /** Plans a filter whose candidates are wanted from block {@code firstBlock} on. */
  CandidateNode plan(CompiledFilter filter, long firstBlock) {
    from = firstBlock;
    return plan(filter);
  }

  /**
   * Fills {@code leaf} when a filter is a single equality test on one indexed type: the common
   * case, planned without making objects.
   */
  boolean planPoint(CompiledFilter filter, PostingLeaf leaf) {
    if (!(filter instanceof CompiledFilter.ValueTest test)
        || test.comparison() != CompiledFilter.ValueTest.Comparison.EQUALITY) {
      return false;
    }
    List<Selected> types = selected(test.attribute());
    if (types.size() != 1 || !types.getFirst().answersEquality(test.rule())) {
      return false;
    }
    fill(leaf, types.getFirst(), IndexKind.EQUALITY, test.assertion());
    return true;
  }

  /** Lets somebody see what becomes of each part of a filter; null ends that. */
  void trace(@Nullable PlanTrace observer) {
    trace = observer;
  }

  private CandidateNode plan(CompiledFilter filter) {
    CandidateNode node = choose(filter);
    PlanTrace observer = trace;
    if (observer != null) {
      observer.planned(filter, node);
    }
    return node;
  }

  private CandidateNode choose(CompiledFilter filter) {
    return switch (filter) {
      case CompiledFilter.Constant constant ->
          constant.value() == Ternary.TRUE ? AllNode.TRUE : new IdListNode(true);
      case CompiledFilter.And and -> planAnd(and.nodes());
      case CompiledFilter.Or or -> planOr(or.nodes());
      case CompiledFilter.Not not -> planNot(not.node());
      case CompiledFilter.Presence presence -> planPresence(presence.attribute());
      case CompiledFilter.ValueTest test -> planValue(test);
      case CompiledFilter.SubstringsTest test -> planSubstrings(test);
      case CompiledFilter.ExtensibleTest test -> planExtensible(test);
      case CompiledFilter.EntryDnTest test -> planName(test);
      case CompiledFilter.EntryIds test -> planIds(test);
      case CompiledFilter.HasSubordinatesTest _,
          CompiledFilter.NumberTest _,
          CompiledFilter.MemberOfTest _,
          CompiledFilter.ChainTest _ ->
          AllNode.UNINDEXED;
    };
  }

  private static CandidateNode planIds(CompiledFilter.EntryIds test) {
    IdListNode node = new IdListNode(true);
    for (long id : test.ids()) {
      node.add(id);
    }
    return node;
  }

  /** How early a part of an AND is looked at: what mostly selects little first. */
  private static int rank(CompiledFilter filter) {
    return switch (filter) {
      case CompiledFilter.Constant _, CompiledFilter.EntryDnTest _ -> 0;
      case CompiledFilter.EntryIds _ -> 1;
      case CompiledFilter.ValueTest test ->
          switch (test.comparison()) {
            case EQUALITY ->
                test.attribute().description().type().name().equals("objectClass") ? 4 : 1;
            case GREATER_OR_EQUAL, LESS_OR_EQUAL -> 6;
          };
      case CompiledFilter.ExtensibleTest _ -> 1;
      case CompiledFilter.SubstringsTest _, CompiledFilter.And _ -> 2;
      case CompiledFilter.Or _ -> 3;
      case CompiledFilter.Presence _ -> 5;
      case CompiledFilter.Not _,
          CompiledFilter.HasSubordinatesTest _,
          CompiledFilter.NumberTest _,
          CompiledFilter.MemberOfTest _,
          CompiledFilter.ChainTest _ ->
          7;
    };
  }

  private record Costed(CandidateNode node, long estimate) {}

  private CandidateNode planAnd(List<CompiledFilter> parts) {
    List<CompiledFilter> ordered = new ArrayList<>(parts);
    ordered.sort(Comparator.comparingInt(CandidatePlanner::rank));
    List<Costed> nodes = new ArrayList<>(ordered.size());
    long least = Long.MAX_VALUE;
    boolean isComplete = true;
    for (CompiledFilter part : ordered) {
      if (least == 0) {
        return new IdListNode(true);
      }
      boolean isRange = rank(part) == 6;
      CandidateNode node =
          least <= (isRange ? FEW_FOR_RANGE : FEW) ? AllNode.UNINDEXED : plan(part);
      if (node instanceof AllNode) {
        isComplete &= node.isExact();
      } else {
        long estimate = node.estimate(from);
        least = Math.min(least, estimate);
        nodes.add(new Costed(node, estimate));
      }
    }
    if (nodes.isEmpty()) {
      return isComplete ? AllNode.TRUE : AllNode.UNINDEXED;
    }
    nodes.sort(Comparator.comparingLong(Costed::estimate));
    List<CandidateNode> sorted = new ArrayList<>(nodes.size());
    nodes.forEach(costed -> sorted.add(costed.node()));
    return new AndNode(sorted, isComplete);
  }

  private CandidateNode planOr(List<CompiledFilter> parts) {
    List<CandidateNode> nodes = new ArrayList<>(parts.size());
    boolean isUnindexed = false;
    for (CompiledFilter part : parts) {
      CandidateNode node = plan(part);
      if (node instanceof AllNode all) {
        if (all.isExact()) {
          return all;
        }
        isUnindexed = true;
      } else if (!isUnindexed) {
        nodes.add(node);
      }
    }
    return isUnindexed ? AllNode.UNINDEXED : any(nodes);
  }

  private CandidateNode planNot(CompiledFilter part) {
    CandidateNode node = plan(part);
    if (!node.isExact()) {
      return AllNode.UNINDEXED;
    }
    if (node instanceof AllNode) {
      return new IdListNode(true);
    }
    return new NotNode(node, IndexKeys.block(reader.lastEntryId()) & 0xffff_ffffL);
  }

  private CandidateNode planPresence(AttributeSelector attribute) {
    List<CandidateNode> nodes = new ArrayList<>();
    for (Selected selected : selected(attribute)) {
      if (!selected.kinds().contains(IndexKind.PRESENCE)) {
        return AllNode.UNINDEXED;
      }
      PostingLeaf leaf = new PostingLeaf(postings, 8);
      IndexKeys.appendPresencePrefix(selected.attribute(), leaf.prefix());
      nodes.add(leaf.reset(selected.isWhole()));
    }
    return any(nodes);
  }

  private CandidateNode planValue(CompiledFilter.ValueTest test) {
    return switch (test.comparison()) {
      case EQUALITY -> planEquality(test.attribute(), test.rule(), test.assertion());
      case GREATER_OR_EQUAL -> planRange(test, true);
      case LESS_OR_EQUAL -> planRange(test, false);
    };
  }

  private CandidateNode planEquality(
      AttributeSelector attribute, MatchingRule rule, byte[] assertion) {
    List<Selected> types = selected(attribute);
    List<CandidateNode> nodes = new ArrayList<>(types.size());
    for (Selected selected : types) {
      if (!selected.answersEquality(rule)) {
        return AllNode.UNINDEXED;
      }
      PostingLeaf leaf = new PostingLeaf(postings, assertion.length + 8);
      fill(leaf, selected, IndexKind.EQUALITY, assertion);
      nodes.add(leaf);
    }
    return any(nodes);
  }

  private static void fill(PostingLeaf leaf, Selected type, IndexKind kind, byte[] value) {
    boolean isWhole =
        IndexKeys.appendPrefix(
            type.attribute(), kind, value, 0, value.length, leaf.prefix().clear());
    leaf.reset(isWhole && type.isWhole());
  }

  private CandidateNode planRange(CompiledFilter.ValueTest test, boolean isGreaterOrEqual) {
    List<CandidateNode> nodes = new ArrayList<>();
    for (Selected selected : selected(test.attribute())) {
      IndexKind kind = selected.rangeKind(test.rule());
      CandidateNode node =
          kind == null
              ? null
              : ranges.collect(
                  selected.attribute(),
                  kind,
                  test.assertion(),
                  isGreaterOrEqual,
                  selected.isWhole(),
                  from);
      if (node == null) {
        return AllNode.UNINDEXED;
      }
      nodes.add(node);
    }
    return any(nodes);
  }

  private CandidateNode planSubstrings(CompiledFilter.SubstringsTest test) {
    List<CandidateNode> nodes = new ArrayList<>();
    List<byte[]> grams = null;
    for (Selected selected : selected(test.attribute())) {
      byte[] initial = test.initial();
      if (initial != null && selected.answersEquality(test.rule())) {
        CandidateNode node = ranges.collectPrefix(selected.attribute(), initial, from);
        if (node == null) {
          return AllNode.UNINDEXED;
        }
        nodes.add(node);
        continue;
      }
      if (grams == null) {
        grams = Grams.of(test, MAXIMUM_GRAMS);
      }
      if (grams.isEmpty() || !selected.answersSubstrings(test.rule())) {
        return AllNode.UNINDEXED;
      }
      nodes.add(allGrams(selected, grams));
    }
    return any(nodes);
  }

  /** The entries with all the grams, rarest gram first; few are enough, as they are tested. */
  private CandidateNode allGrams(Selected selected, List<byte[]> grams) {
    List<Costed> leaves = new ArrayList<>(grams.size());
    long least = Long.MAX_VALUE;
    for (byte[] gram : grams) {
      if (least > FEW) {
        PostingLeaf leaf = new PostingLeaf(postings, 16);
        fill(leaf, selected, IndexKind.SUBSTRING, gram);
        leaf.reset(false);
        long estimate = leaf.estimate(from);
        least = Math.min(least, estimate);
        leaves.add(new Costed(leaf, estimate));
      }
    }
    leaves.sort(Comparator.comparingLong(Costed::estimate));
    List<CandidateNode> nodes = new ArrayList<>(leaves.size());
    leaves.forEach(costed -> nodes.add(costed.node()));
    return nodes.size() == 1 ? nodes.getFirst() : new AndNode(nodes, false);
  }

  private CandidateNode planExtensible(CompiledFilter.ExtensibleTest test) {
    AttributeSelector attribute = test.attribute();
    if (attribute == null || test.dnAttributes()) {
      return AllNode.UNINDEXED;
    }
    return planEquality(attribute, test.rule(), test.assertion());
  }

  private CandidateNode planName(CompiledFilter.EntryDnTest test) {
    IdListNode node = new IdListNode(true);
    long id = reader.find(test.dn());
    if (id != LmdbSnapshot.NO_ENTRY) {
      node.add(id);
    }
    return node;
  }

  /** One of the nodes, or none at all where there are none. */
  private static CandidateNode any(List<CandidateNode> nodes) {
    return switch (nodes.size()) {
      case 0 -> new IdListNode(true);
      case 1 -> nodes.getFirst();
      default -> new OrNode(nodes);
    };
  }

  private List<Selected> selected(AttributeSelector attribute) {
    AttributeDescription description = attribute.description();
    return reader.layout().selections().of(description);
  }

  /** The entries directly below a parent. */
  CandidateNode below(long parentId) {
    PostingLeaf leaf = new PostingLeaf(postings, 16);
    IndexKeys.appendParentPrefix(parentId, leaf.prefix());
    return leaf.reset(true);
  }

  /** How many entries stand directly below a parent. */
  long countBelow(long parentId) {
    PostingLeaf leaf = new PostingLeaf(postings, 16);
    IndexKeys.appendParentPrefix(parentId, leaf.prefix());
    leaf.reset(true);
    long count = 0;
    for (long block = leaf.nextBlock(0);
        block != CandidateNode.NONE;
        block = leaf.nextBlock(block + 1)) {
      count += PostingChunk.cardinality(postings.chunk());
    }
    return count;
  }

  /** The entries with a flag; null where the store has none. */
  @Nullable CandidateNode flagged(int flag) {
    PostingLeaf leaf = new PostingLeaf(postings, 16);
    IndexKeys.appendFlagPrefix(flag, leaf.prefix());
    leaf.reset(false);
    return leaf.nextBlock(0) == CandidateNode.NONE ? null : leaf;
  }
}
