package org.nyala.lmdb.search;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.schema.MatchingRule;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.lmdb.format.IndexSelections;
import org.nyala.lmdb.format.IndexSelections.Selected;
import org.nyala.lmdb.format.IndexUses;
import org.nyala.lmdb.format.Trigrams;
import org.nyala.lmdb.posting.BlockSet;
import org.nyala.lmdb.posting.PostingChunk;
import org.nyala.lmdb.posting.PostingReader;

/**
 * Turns the tests of a filter into candidates, within the limits on one plan.
 *
 * <p>Confined to one running operation; lives as long as its reader.
 */
public final class TestPlanner {
  /** With so few candidates left, testing them costs less than another look-up. */
  private static final long FEW = 8;

  /** The most trigrams of one assertion that are looked up. */
  private static final int MAXIMUM_GRAMS = 16;

  /** The descriptions looked at that cost as much as a look-up: 2 to the power of this. */
  private static final int LOOKED_AT_SHIFT = 6;

  /** From this many look-ups on, equal ones are recognised. */
  private static final int MANY = 16;

  private final PlanContext reader;
  private final PostingReader postings;
  private final ScratchSets scratch;
  private final Map<ByteBuffer, PostingLeaf> leaves = new HashMap<>();
  private long from;
  private int lookups;
  private @Nullable KeptPlan kept;
  private @Nullable MemoryAccount account;
  private @Nullable RangeWalk pending;
  private IndexUses uses = IndexUses.IGNORED;

  TestPlanner(PlanContext reader, PostingReader postings, ScratchSets scratch) {
    this.reader = reader;
    this.postings = postings;
    this.scratch = scratch;
  }

  /** Sets the counters of look-ups from now on. */
  public void countIn(IndexUses other) {
    uses = other;
  }

  /** Counts a look-up in an index. */
  public void used(Selected selected, IndexKind kind) {
    uses.used(selected.attribute(), kind);
  }

  /**
   * Begins a plan of candidates from a block on, with what the search has kept.
   *
   * @param behalf the account that holds the memory it will keep; null for the server itself
   */
  void begin(long firstBlock, @Nullable KeptPlan keptBefore, @Nullable MemoryAccount behalf) {
    account = behalf;
    from = firstBlock;
    lookups = 0;
    kept = keptBefore;
    pending = null;
  }

  /** Ends a plan and returns the state that the search is to keep; null if there is none. */
  @Nullable KeptPlan end() {
    KeptPlan result = kept;
    kept = null;
    account = null;
    leaves.clear();
    return result;
  }

  /** Collects a range further. */
  void advance(RangeWalk walk, KeptPlan plan) {
    walk.advance(reader, postings, plan);
  }

  /** Returns a range that is worth being collected further; null if there is none. */
  @Nullable RangeWalk takePending() {
    RangeWalk walk = pending;
    pending = null;
    return walk;
  }

  /** Fills a leaf for an equality test on one indexed type; false if it is no such test. */
  boolean planPoint(CompiledFilter.ValueItem test, PostingLeaf leaf) {
    List<Selected> types = selected(test.attribute());
    if (types == null || types.size() != 1 || !types.getFirst().answersEquality(test.rule())) {
      return false;
    }
    used(types.getFirst(), IndexKind.EQUALITY);
    fill(leaf, types.getFirst(), IndexKind.EQUALITY, test.assertion());
    return true;
  }

  CandidateNode planPresence(AttributeSelector attribute) {
    List<CandidateNode> nodes = new ArrayList<>();
    List<Selected> types = selected(attribute);
    if (types == null) {
      return AllNode.UNINDEXED;
    }
    for (Selected selected : types) {
      if (!selected.kinds().contains(IndexKind.PRESENCE) || isLookupSpent()) {
        return AllNode.UNINDEXED;
      }
      used(selected, IndexKind.PRESENCE);
      PostingLeaf leaf = new PostingLeaf(postings, 8);
      IndexKeys.appendPresencePrefix(selected.attribute(), leaf.prefix());
      nodes.add(shared(leaf.reset(selected.isWhole())));
    }
    return any(nodes);
  }

  CandidateNode planEquality(AttributeSelector attribute, MatchingRule rule, byte[] assertion) {
    List<Selected> types = selected(attribute);
    if (types == null) {
      return AllNode.UNINDEXED;
    }
    List<CandidateNode> nodes = new ArrayList<>(types.size());
    for (Selected selected : types) {
      if (!selected.answersEquality(rule) || isLookupSpent()) {
        return AllNode.UNINDEXED;
      }
      used(selected, IndexKind.EQUALITY);
      PostingLeaf leaf = new PostingLeaf(postings, assertion.length + 8);
      fill(leaf, selected, IndexKind.EQUALITY, assertion);
      nodes.add(shared(leaf));
    }
    return any(nodes);
  }

  private static void fill(PostingLeaf leaf, Selected type, IndexKind kind, byte[] value) {
    boolean isWhole =
        IndexKeys.appendPrefix(
            type.attribute(), kind, value, 0, value.length, leaf.prefix().clear());
    leaf.reset(isWhole && type.isWhole());
  }

  /** Counts a look-up; true if there have been enough. */
  private boolean isLookupSpent() {
    return isSpent(1);
  }

  /** Counts look-ups for one block; true if there have been enough. */
  private boolean isSpent(int cost) {
    lookups += cost;
    return lookups > reader.planMemory().limits().lookups();
  }

  /** Returns the leaf, or an equal one of the same plan. */
  private PostingLeaf shared(PostingLeaf leaf) {
    if (lookups < MANY) {
      return leaf;
    }
    ByteBuffer key = ByteBuffer.wrap(leaf.prefix().array(), 0, leaf.prefix().length());
    PostingLeaf known = leaves.putIfAbsent(key, leaf);
    return known != null && known.isExact() == leaf.isExact() ? known : leaf;
  }

  CandidateNode planRange(CompiledFilter.ValueItem test, RangeKey.Form form) {
    List<CandidateNode> nodes = new ArrayList<>();
    List<Selected> types = selected(test.attribute());
    if (types == null) {
      return AllNode.UNINDEXED;
    }
    for (Selected selected : types) {
      IndexKind kind = selected.rangeKind(test.rule());
      CandidateNode node =
          kind == null ? null : range(selected, kind, form, test.assertion(), selected.isWhole());
      if (node == null) {
        return AllNode.UNINDEXED;
      }
      nodes.add(node);
    }
    return any(nodes);
  }

  /** Returns the entries of a range; null while they are not collected. */
  private @Nullable CandidateNode range(
      Selected selected, IndexKind kind, RangeKey.Form form, byte[] bound, boolean isWhole) {
    used(selected, kind);
    KeptPlan plan = kept;
    if (plan == null) {
      plan = new KeptPlan(reader.planMemory(), reader.entryCount(), account);
      kept = plan;
    }
    RangeKey key = new RangeKey(selected.attribute(), kind, form, ByteBuffer.wrap(bound));
    RangeWalk walk = plan.range(key, from);
    walk.advance(reader, postings, plan);
    if (!walk.isOver() && pending == null) {
      pending = walk;
    }
    return walk.node(reader, isWhole);
  }

  CandidateNode planSubstrings(CompiledFilter.SubstringsItem test) {
    List<CandidateNode> nodes = new ArrayList<>();
    List<byte[]> grams = null;
    List<Selected> types = selected(test.attribute());
    if (types == null) {
      return AllNode.UNINDEXED;
    }
    for (Selected selected : types) {
      byte[] initial = test.initial();
      if (initial != null && selected.answersEquality(test.rule())) {
        CandidateNode node =
            range(selected, IndexKind.EQUALITY, RangeKey.Form.PREFIX, initial, false);
        if (node == null) {
          return AllNode.UNINDEXED;
        }
        nodes.add(node);
        continue;
      }
      if (grams == null) {
        grams = Trigrams.of(test, MAXIMUM_GRAMS);
      }
      boolean isAnswered = !grams.isEmpty() && selected.answersSubstrings(test.rule());
      if (!isAnswered || isLookupSpent()) {
        return AllNode.UNINDEXED;
      }
      used(selected, IndexKind.SUBSTRING);
      nodes.add(allGrams(selected, grams));
    }
    return any(nodes);
  }

  /**
   * Returns the entries with all the grams, rarest gram first; few grams are enough, as the entries
   * are tested.
   */
  private CandidateNode allGrams(Selected selected, List<byte[]> grams) {
    List<Costed> found = new ArrayList<>(grams.size());
    long least = Long.MAX_VALUE;
    for (byte[] gram : grams) {
      if (least > FEW && (found.isEmpty() || !isLookupSpent())) {
        PostingLeaf leaf = new PostingLeaf(postings, 16);
        fill(leaf, selected, IndexKind.SUBSTRING, gram);
        PostingLeaf one = shared(leaf.reset(false));
        long estimate = one.estimate(from);
        least = Math.min(least, estimate);
        found.add(new Costed(one, estimate));
      }
    }
    return found.size() == 1 ? found.getFirst().node() : new AndNode(sorted(found), false, scratch);
  }

  /** A node and its approximate number of candidates. */
  record Costed(CandidateNode node, long estimate) {}

  /** Returns the nodes with the fewest candidates first, equal ones once. */
  static List<CandidateNode> sorted(List<Costed> costed) {
    costed.sort(Comparator.comparingLong(Costed::estimate));
    List<CandidateNode> nodes = new ArrayList<>(costed.size());
    costed.forEach(each -> nodes.add(each.node()));
    return distinct(nodes);
  }

  /** Returns the union of the nodes, empty if there are none. */
  CandidateNode any(List<CandidateNode> all) {
    List<CandidateNode> nodes = distinct(all);
    return switch (nodes.size()) {
      case 0 -> new IdListNode(true);
      case 1 -> nodes.getFirst();
      default -> new OrNode(nodes, scratch);
    };
  }

  private static List<CandidateNode> distinct(List<CandidateNode> nodes) {
    return nodes.size() < MANY ? nodes : new ArrayList<>(new LinkedHashSet<>(nodes));
  }

  CandidateNode planName(CompiledFilter.EntryDnItem test) {
    IdListNode node = new IdListNode(true);
    if (isLookupSpent()) {
      return AllNode.UNINDEXED;
    }
    long id = reader.find(test.dn());
    if (id != ReadTransaction.NO_ENTRY) {
      node.add(id);
    }
    return node;
  }

  CandidateNode planIds(long[] ids) {
    return isSpent(SortedIdsNode.lookups(ids.length))
        ? AllNode.UNINDEXED
        : new SortedIdsNode(ids, postings);
  }

  /** Returns the stored types for which a selector stands; null if there were enough look-ups. */
  private @Nullable List<Selected> selected(AttributeSelector attribute) {
    IndexSelections selections = reader.layout().selections();
    return isSpent(selections.cost(attribute) >> LOOKED_AT_SHIFT) ? null : selections.of(attribute);
  }

  /** Returns the entries directly below a parent. */
  public PostingLeaf below(long parentId) {
    PostingLeaf leaf = new PostingLeaf(postings, 16);
    IndexKeys.appendParentPrefix(parentId, leaf.prefix());
    return leaf.reset(true);
  }

  /** Returns the number of entries directly below a parent. */
  public long countBelow(long parentId) {
    PostingLeaf leaf = below(parentId);
    long count = 0;
    for (long block = leaf.nextBlock(0);
        block != CandidateNode.NONE;
        block = leaf.nextBlock(block + 1)) {
      count += PostingChunk.cardinality(postings.chunk());
    }
    return count;
  }

  /** Returns the entries with a flag; null if the store has none. */
  public @Nullable CandidateNode flagged(int flag) {
    PostingLeaf leaf = new PostingLeaf(postings, 16);
    IndexKeys.appendFlagPrefix(flag, leaf.prefix());
    leaf.reset(false);
    return leaf.nextBlock(0) == CandidateNode.NONE ? null : leaf;
  }

  /**
   * The entries of a sorted list of ids, read in place: creating the node costs nothing, however
   * many they are. Reading a block costs as much as {@link #lookups} of values.
   *
   * <p>Confined to one running operation. The array is never written to.
   *
   * @param postings is charged for the ids that are read
   */
  private record SortedIdsNode(long[] ids, PostingReader postings) implements CandidateNode {
    /** The number of ids that cost as much as a look-up of a value: 2 to the power of this. */
    private static final int IDS_SHIFT = 9;

    private static final int BLOCK_IDS = 1 << 16;

    /** Returns the cost of one block of this many ids at most, in look-ups of values. */
    static int lookups(int ids) {
      return 1 + (Math.min(ids, BLOCK_IDS) >> IDS_SHIFT);
    }

    @Override
    public long nextBlock(long from) {
      int index = firstOf(from);
      return index == ids.length ? NONE : ids[index] >>> 16;
    }

    /** Returns the index of the first id that is not before a block. */
    private int firstOf(long block) {
      int index = Arrays.binarySearch(ids, block << 16);
      return index >= 0 ? index : -index - 1;
    }

    @Override
    public void add(long block, BlockSet target) {
      int first = firstOf(block);
      int i = first;
      for (; i < ids.length && ids[i] >>> 16 == block; i++) {
        target.add((int) (ids[i] & 0xffff));
      }
      postings.charge(lookups(i - first));
    }

    @Override
    public void restrict(long block, BlockSet target) {
      BlockSet own = new BlockSet();
      add(block, own);
      target.and(own);
    }

    @Override
    public long estimate(long from) {
      long block = nextBlock(from);
      return block == NONE ? 0 : firstOf(block + 1) - firstOf(block);
    }

    @Override
    public boolean isExact() {
      return true;
    }
  }
}
