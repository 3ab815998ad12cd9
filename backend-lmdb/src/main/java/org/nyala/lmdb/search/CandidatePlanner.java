package org.nyala.lmdb.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.CompiledFilter.ValueItem;
import org.nyala.core.filter.CompiledFilter.ValueItem.Comparison;
import org.nyala.core.filter.Ternary;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.posting.BlockSet;
import org.nyala.lmdb.posting.PostingReader;
import org.nyala.lmdb.search.TestPlanner.Costed;

/**
 * Turns a filter into candidates: each part that an index can answer becomes a node. The rest is
 * left to testing the entries, and so are parts that would need more work than one plan may do
 * ({@link PlanLimits}).
 *
 * <p>Confined to one running operation. {@link AllNode} never occurs below another node: it is
 * dropped from an AND and swallows an OR.
 */
public final class CandidatePlanner {
  /** With so few candidates left, testing them costs less than another look-up. */
  private static final long FEW = 8;

  /** With so few candidates left, collecting a range does not pay. */
  private static final long FEW_FOR_RANGE = 2048;

  /**
   * The most parts of an AND that are looked up: further parts hardly reduce the candidates of so
   * many.
   */
  private static final int MAXIMUM_OF_AND = 64;

  private final PlanContext reader;
  private final ScratchSets scratch = new ScratchSets();
  private final TestPlanner tests;
  private long from;
  private @Nullable PlanTrace trace;

  public CandidatePlanner(PlanContext reader, PostingReader postings) {
    this.reader = reader;
    this.tests = new TestPlanner(reader, postings, scratch);
  }

  /**
   * Plans a filter whose candidates are wanted from block {@code firstBlock} on; {@link #end}
   * follows.
   *
   * @param kept the state that the search has kept; null if there is none
   * @param account the account that holds the memory it will keep; null for the server itself
   */
  public CandidateNode plan(
      CompiledFilter filter,
      long firstBlock,
      @Nullable KeptPlan kept,
      @Nullable MemoryAccount account) {
    from = firstBlock;
    tests.begin(firstBlock, kept, account);
    return plan(filter);
  }

  /** Plans a filter, with ranges as far as the search may collect them at all. */
  public CandidateNode planWhole(CompiledFilter filter, KeptPlan kept) {
    CandidateNode node = plan(filter, 0, kept, null);
    for (RangeWalk walk = takePending(); walk != null; walk = takePending()) {
      while (!walk.isOver()) {
        tests.advance(walk, kept);
      }
      node = plan(filter, 0, kept, null);
    }
    tests.end();
    return node;
  }

  /** Ends a plan and returns the state that the search is to keep; null if there is none. */
  public @Nullable KeptPlan end() {
    return tests.end();
  }

  /** Returns a range that is worth being collected further; null if there is none. */
  public @Nullable RangeWalk takePending() {
    return tests.takePending();
  }

  /**
   * Fills {@code leaf} if a filter is a single equality test on one indexed type: the common case,
   * planned without allocating objects.
   */
  public boolean planPoint(CompiledFilter filter, PostingLeaf leaf) {
    return filter instanceof CompiledFilter.ValueItem test
        && test.comparison() == CompiledFilter.ValueItem.Comparison.EQUALITY
        && tests.planPoint(test, leaf);
  }

  /** Returns the planner of single tests. */
  public TestPlanner tests() {
    return tests;
  }

  /** Returns the sets that the nodes of this reader's plans work with. */
  public ScratchSets scratch() {
    return scratch;
  }

  /** Records the node chosen for each part of a filter; null ends that. */
  public void trace(@Nullable PlanTrace observer) {
    trace = observer;
  }

  private CandidateNode plan(CompiledFilter filter) {
    CandidateNode node = choose(filter);
    if (trace != null) {
      trace.planned(filter, node);
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
      case CompiledFilter.Presence presence -> tests.planPresence(presence.attribute());
      case CompiledFilter.ValueItem test -> planValue(test);
      case CompiledFilter.SubstringsItem test -> tests.planSubstrings(test);
      case CompiledFilter.ExtensibleItem test -> planExtensible(test);
      case CompiledFilter.EntryDnItem test -> tests.planName(test);
      case CompiledFilter.EntryIds test -> tests.planIds(test.ids());
      case CompiledFilter.HasSubordinatesItem _,
          CompiledFilter.NumberItem _,
          CompiledFilter.ContextCsnItem _,
          CompiledFilter.MemberOfItem _,
          CompiledFilter.ChainItem _ ->
          AllNode.UNINDEXED;
    };
  }

  /** Returns the rank of a part of an AND: parts that usually select few entries come first. */
  private static int rank(CompiledFilter filter) {
    return switch (filter) {
      case CompiledFilter.Constant _, CompiledFilter.EntryDnItem _ -> 0;
      case CompiledFilter.EntryIds _ -> 1;
      case CompiledFilter.ValueItem test ->
          switch (test.comparison()) {
            case EQUALITY ->
                test.attribute().description().type().name().equals("objectClass") ? 4 : 1;
            case GREATER_OR_EQUAL, LESS_OR_EQUAL -> 6;
          };
      case CompiledFilter.ExtensibleItem _ -> 1;
      case CompiledFilter.SubstringsItem _, CompiledFilter.And _ -> 2;
      case CompiledFilter.Or _ -> 3;
      case CompiledFilter.Presence _ -> 5;
      case CompiledFilter.Not _,
          CompiledFilter.HasSubordinatesItem _,
          CompiledFilter.NumberItem _,
          CompiledFilter.ContextCsnItem _,
          CompiledFilter.MemberOfItem _,
          CompiledFilter.ChainItem _ ->
          7;
    };
  }

  private CandidateNode planAnd(List<CompiledFilter> parts) {
    List<CompiledFilter> ordered = new ArrayList<>(RangeMerge.merge(parts, false, trace));
    ordered.sort(Comparator.comparingInt(CandidatePlanner::rank));
    List<Costed> nodes = new ArrayList<>(Math.min(MAXIMUM_OF_AND, ordered.size()));
    long least = Long.MAX_VALUE;
    boolean isComplete = true;
    for (CompiledFilter part : ordered) {
      if (least == 0) {
        return new IdListNode(true);
      }
      boolean isEnough = least <= few(part) || nodes.size() == MAXIMUM_OF_AND;
      CandidateNode node = isEnough ? AllNode.UNINDEXED : plan(part);
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
    return new AndNode(TestPlanner.sorted(nodes), isComplete, scratch);
  }

  /** Returns the number of candidates up to which a part of an AND is not looked up. */
  private static long few(CompiledFilter part) {
    return rank(part) == 6 ? FEW_FOR_RANGE : FEW;
  }

  private CandidateNode planOr(List<CompiledFilter> parts) {
    for (int i = 0; i < parts.size(); i++) {
      if (CompiledFilter.Constant.TRUE.equals(parts.get(i))) {
        return AllNode.TRUE;
      }
    }
    List<CandidateNode> nodes = new ArrayList<>(parts.size());
    for (CompiledFilter part : RangeMerge.merge(parts, true, trace)) {
      CandidateNode node = plan(part);
      if (node instanceof AllNode) {
        // Any further look-up would be in vain.
        return node;
      }
      nodes.add(node);
    }
    return tests.any(nodes);
  }

  private CandidateNode planNot(CompiledFilter part) {
    CandidateNode node = plan(part);
    if (!node.isExact()) {
      return AllNode.UNINDEXED;
    }
    if (node instanceof AllNode) {
      return new IdListNode(true);
    }
    return new NotNode(node, IndexKeys.block(reader.lastEntryId()) & 0xffff_ffffL, scratch);
  }

  private CandidateNode planValue(CompiledFilter.ValueItem test) {
    return switch (test.comparison()) {
      case EQUALITY -> tests.planEquality(test.attribute(), test.rule(), test.assertion());
      case GREATER_OR_EQUAL -> tests.planRange(test, RangeKey.Form.FROM);
      case LESS_OR_EQUAL -> tests.planRange(test, RangeKey.Form.TO);
    };
  }

  private CandidateNode planExtensible(CompiledFilter.ExtensibleItem test) {
    if (test.attribute() == null || test.dnAttributes()) {
      return AllNode.UNINDEXED;
    }
    return tests.planEquality(test.attribute(), test.rule(), test.assertion());
  }

  /**
   * The ids that are no candidates of an exact node. Never exact itself: an id may belong to no
   * entry, and a test that is not true may be undefined.
   */
  private record NotNode(CandidateNode node, long lastBlock, ScratchSets scratch)
      implements CandidateNode {
    @Override
    public long nextBlock(long from) {
      return from <= lastBlock ? from : NONE;
    }

    @Override
    public void load(long block, BlockSet target) {
      target.fill();
      restrict(block, target);
    }

    @Override
    public void add(long block, BlockSet target) {
      BlockSet complement = scratch.take();
      load(block, complement);
      target.or(complement);
      scratch.put(complement);
    }

    @Override
    public void restrict(long block, BlockSet target) {
      if (node.nextBlock(block) == block) {
        BlockSet excluded = scratch.take();
        node.load(block, excluded);
        target.andNot(excluded);
        scratch.put(excluded);
      }
    }

    @Override
    public long estimate(long from) {
      return from <= lastBlock ? (1 << 16) - Math.min(node.estimate(from), 1 << 15) : 0;
    }

    @Override
    public boolean isExact() {
      return false;
    }
  }

  /**
   * Keeps one of several ranges of an attribute to the same side: of the parts of an OR the widest,
   * of those of an AND the narrowest. The others add nothing to it, however many values the
   * attribute has.
   *
   * <p>Stateless.
   */
  private static final class RangeMerge {
    private record Side(AttributeDescription attribute, String rule, Comparison comparison) {
      static Side of(ValueItem test) {
        return new Side(test.attribute().description(), test.rule().oid(), test.comparison());
      }
    }

    private RangeMerge() {}

    /**
     * Returns the parts of an AND or an OR without the ranges that another one makes superfluous.
     *
     * @param isOr true if the widest are kept, false if the narrowest are
     * @param trace records the parts that are left out; may be null
     */
    static List<CompiledFilter> merge(
        List<CompiledFilter> parts, boolean isOr, @Nullable PlanTrace trace) {
      if (!hasSeveral(parts)) {
        return parts;
      }
      Map<Side, ValueItem> best = new HashMap<>();
      for (CompiledFilter part : parts) {
        if (part instanceof ValueItem test && isRange(test)) {
          best.merge(Side.of(test), test, (one, other) -> better(one, other, isOr));
        }
      }
      List<CompiledFilter> left = new ArrayList<>(parts.size());
      for (CompiledFilter part : parts) {
        boolean isBest =
            !(part instanceof ValueItem test) || !isRange(test) || best.get(Side.of(test)) == test;
        if (isBest) {
          left.add(part);
        } else if (trace != null) {
          trace.covered(part);
        }
      }
      return left;
    }

    private static boolean hasSeveral(List<CompiledFilter> parts) {
      int ranges = 0;
      for (int i = 0; i < parts.size(); i++) {
        if (parts.get(i) instanceof ValueItem test && isRange(test) && ++ranges > 1) {
          return true;
        }
      }
      return false;
    }

    private static boolean isRange(ValueItem test) {
      return test.comparison() != Comparison.EQUALITY;
    }

    private static ValueItem better(ValueItem one, ValueItem other, boolean isOr) {
      int order = Arrays.compareUnsigned(one.assertion(), other.assertion());
      boolean isOneLower = order <= 0;
      boolean wantsLower = isOr == (one.comparison() == Comparison.GREATER_OR_EQUAL);
      return order == 0 || isOneLower == wantsLower ? one : other;
    }
  }
}
