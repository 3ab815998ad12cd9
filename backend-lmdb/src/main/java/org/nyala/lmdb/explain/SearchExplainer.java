package org.nyala.lmdb.explain;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.Ternary;
import org.nyala.core.integrity.MemberCandidates;
import org.nyala.core.integrity.References;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.LmdbCursor;
import org.nyala.lmdb.LmdbSnapshot;
import org.nyala.lmdb.explain.SearchExplanation.Advice;
import org.nyala.lmdb.explain.SearchExplanation.Stage;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.lmdb.format.IndexUses;
import org.nyala.lmdb.posting.PostingChunk;
import org.nyala.lmdb.search.AllNode;
import org.nyala.lmdb.search.CandidateNode;
import org.nyala.lmdb.search.CandidatePlanner;
import org.nyala.lmdb.search.KeptPlan;
import org.nyala.lmdb.search.PlanTrace;
import org.nyala.lmdb.write.EntryIndexer;

/**
 * Carries out a search and explains it: how the planner treats each part of the filter, how many
 * entries are read and match, where the time goes, and which index would help.
 *
 * <p>Confined to one running operation. Reads in slices of some milliseconds as searches do, so
 * that no snapshot is held for long.
 */
public final class SearchExplainer {
  private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The number of candidates between two looks at the clock, if none of them is in scope. */
  private static final int EXAMINE_LIMIT = 1024;

  /** The number of members of a group that are looked up, as for searches. */
  private static final int MEMBERS = 1 << 16;

  /** With so few entries read, no index is worth its space. */
  private static final long FEW_READ = 100;

  /** The most indexes that are advised: each is estimated from entries that are read for it. */
  private static final int MOST_ADVICE = 10;

  /** The time for which candidates are counted, under one snapshot. */
  private static final long COUNT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Reading this many entries for each one that matches is no waste. */
  private static final long READ_PER_RESULT = 4;

  private final LmdbBackend backend;
  private final Schema schema;
  private final LongSupplier nanoClock;
  private final Question question;
  private final FilterMatcher matcher;
  private final FilterMatcher single;

  private Scope scope = Scope.SUBTREE;
  private long baseId;
  private CompiledFilter filter = CompiledFilter.Constant.TRUE;
  private long endNanos;
  private long entriesRead;
  private long results;
  private long locateNanos;
  private long planNanos;
  private long readNanos;
  private long testNanos;
  private boolean isComplete;
  private boolean isExact;
  private boolean isNarrowed;

  /**
   * A search to explain.
   *
   * @param base the DN where the search begins; the empty name for the whole store
   * @param scope the scope of the search
   * @param filter the filter of the search
   * @param texts the texts of the filter's tests, keyed by equal tests, which may be other objects
   * @param unknownAttributes the attributes of the filter that the schema does not have
   * @param maximumGroups the number of groups that one answer may take into account if the filter
   *     asks for references, at least 1
   * @param limitNanos the time limit
   * @param isWanted returns whether a client still waits for the answer; if not, the explanation
   *     ends early
   */
  public record Question(
      Dn base,
      Scope scope,
      CompiledFilter filter,
      Map<CompiledFilter, String> texts,
      List<String> unknownAttributes,
      int maximumGroups,
      long limitNanos,
      BooleanSupplier isWanted) {
    /** Creates a question whose answer is always wanted. */
    public Question(
        Dn base,
        Scope scope,
        CompiledFilter filter,
        Map<CompiledFilter, String> texts,
        int maximumGroups,
        long limitNanos) {
      this(base, scope, filter, texts, List.of(), maximumGroups, limitNanos, () -> true);
    }
  }

  private SearchExplainer(LmdbBackend backend, LongSupplier nanoClock, Question question) {
    this.backend = backend;
    this.schema = backend.extendedSchema().schema();
    this.nanoClock = nanoClock;
    this.question = question;
    this.matcher = new FilterMatcher(schema, _ -> true);
    this.single = new FilterMatcher(schema, _ -> true);
  }

  /**
   * Explains a search.
   *
   * @throws IllegalArgumentException if there is no base entry
   */
  public static SearchExplanation explain(
      LmdbBackend backend, LongSupplier nanoClock, Question question) {
    return new SearchExplainer(backend, nanoClock, question).run();
  }

  private SearchExplanation run() {
    long startNanos = nanoClock.getAsLong();
    endNanos = startNanos + question.limitNanos();
    ExplainedTerms terms;
    boolean isAll;
    long storeEntries;
    KeptPlan kept;
    try (LmdbSnapshot store = begin()) {
      // A search finds out the same while it continues.
      kept = new KeptPlan(store.planMemory(), store.entryCount(), null).unhurried();
      locate(store);
      IdentityHashMap<CompiledFilter, String> texts =
          ExplainedTerms.texts(question.filter(), question.texts());
      filter = resolve(store);
      ExplainedTerms.carryOver(question.filter(), filter, texts);
      locateNanos = nanoClock.getAsLong() - startNanos;
      PlanTrace trace = new PlanTrace();
      isAll = plan(store, kept, trace) instanceof AllNode;
      long countEndNanos = Math.min(question.limitNanos(), COUNT_NANOS) + startNanos;
      terms =
          new ExplainedTerms(
              store,
              kept,
              trace,
              scope != Scope.BASE,
              filter,
              texts,
              () ->
                  nanoClock.getAsLong() - countEndNanos >= 0
                      || !question.isWanted().getAsBoolean());
      storeEntries = store.slot().environment().entryCount(store.slot().txn());
    }
    try {
      walk(terms, kept);
    } finally {
      kept.close();
    }
    return new SearchExplanation(
        sentence(isAll),
        terms.terms(),
        storeEntries,
        entriesRead,
        results,
        isComplete,
        isExact,
        List.of(
            stage("find the base", locateNanos),
            stage("plan", planNanos),
            stage("read candidates", readNanos),
            stage("test entries", testNanos)),
        advice(terms),
        question.unknownAttributes());
  }

  private static Stage stage(String name, long nanos) {
    return new Stage(name, TimeUnit.NANOSECONDS.toMicros(nanos));
  }

  private LmdbSnapshot begin() {
    return begin(backend);
  }

  /** Begins a read whose look-ups do not count as uses of indexes. */
  static LmdbSnapshot begin(LmdbBackend backend) {
    if (backend.beginRead() instanceof LmdbSnapshot store) {
      store.planner().tests().countIn(IndexUses.IGNORED);
      return store;
    }
    throw new IllegalStateException("a store is read through its own snapshots");
  }

  private void locate(ReadTransaction store) {
    scope = question.scope();
    if (question.base().rdnCount() == 0) {
      baseId = ReadTransaction.NO_ENTRY;
      if (scope != Scope.SUBTREE) {
        throw new IllegalArgumentException("name a base, or take the scope sub");
      }
      return;
    }
    baseId = store.find(question.base());
    if (baseId == ReadTransaction.NO_ENTRY) {
      throw new IllegalArgumentException("there is no entry " + question.base());
    }
  }

  /** The same as searches do: the members of a group are candidates. */
  private CompiledFilter resolve(ReadTransaction store) {
    CompiledFilter asked = question.filter();
    if (scope == Scope.BASE || !MemberCandidates.isUseful(asked)) {
      return asked;
    }
    References references = new References(store, schema, question.maximumGroups(), Pace.UNBOUNDED);
    CompiledFilter resolved =
        new MemberCandidates(asked, schema, MEMBERS).resolve(references, Pace.UNBOUNDED);
    return resolved == null ? asked : resolved;
  }

  private CandidateNode plan(LmdbSnapshot store, KeptPlan kept, PlanTrace trace) {
    CandidatePlanner planner = store.planner();
    planner.trace(trace);
    try {
      return planner.planWhole(filter, kept);
    } finally {
      planner.trace(null);
    }
  }

  private String sentence(boolean isAll) {
    if (scope == Scope.BASE) {
      return "the base entry is read and tested";
    }
    String candidates =
        isAll
            ? isNarrowed
                ? "the entries in scope are looked up"
                : "no index helps: all entries are read"
            : isNarrowed
                ? "candidates are looked up, and those in scope kept"
                : "candidates are looked up";
    return candidates + (isExact ? "; none has to be tested" : "; each is tested");
  }

  private void walk(ExplainedTerms terms, KeptPlan kept) {
    SearchSpec spec = new SearchSpec(baseId, scope, filter, false, false);
    long position = 0;
    while (!isComplete && !isOver()) {
      try (LmdbSnapshot store = begin()) {
        References probe = new References(store, schema, question.maximumGroups(), Pace.UNBOUNDED);
        long beginNanos = nanoClock.getAsLong();
        try (EntryCursor cursor = store.search(spec, position, kept)) {
          planNanos += nanoClock.getAsLong() - beginNanos;
          isExact = cursor.isExact();
          isNarrowed |= cursor instanceof LmdbCursor own && own.isNarrowed();
          slice(cursor, store, terms, probe);
          isExact &= cursor.isExact();
          cursor.progress();
          position = cursor.position();
          entriesRead += cursor.examined();
        }
      }
    }
  }

  private boolean isOver() {
    return nanoClock.getAsLong() - endNanos >= 0 || !question.isWanted().getAsBoolean();
  }

  private void slice(
      EntryCursor cursor, ReadTransaction store, ExplainedTerms terms, References probe) {
    EntryView view = new EntryView();
    long startNanos = nanoClock.getAsLong();
    long after = startNanos;
    while (!isComplete && after - startNanos < SLICE_NANOS) {
      long before = nanoClock.getAsLong();
      EntryCursor.Step step = cursor.next(view, EXAMINE_LIMIT);
      after = nanoClock.getAsLong();
      readNanos += after - before;
      isComplete = step == EntryCursor.Step.END;
      if (step == EntryCursor.Step.ENTRY) {
        test(cursor, view, store, probe);
        terms.test(single, view, store.attributes(), probe);
      }
    }
  }

  private void test(EntryCursor cursor, EntryView view, ReadTransaction store, References probe) {
    // Subentries are visible only to clients that name them or ask only for them.
    boolean isShown = scope == Scope.BASE || (view.flags() & EntryRecord.SUBENTRY) == 0;
    if (cursor.isExact()) {
      results += isShown ? 1 : 0;
      return;
    }
    long before = nanoClock.getAsLong();
    Ternary value = matcher.match(filter, view, store.attributes(), probe);
    testNanos += nanoClock.getAsLong() - before;
    results += isShown && value == Ternary.TRUE ? 1 : 0;
  }

  /**
   * Returns indexes that would help: for tests that are true for few of the entries that were read.
   */
  private List<Advice> advice(ExplainedTerms terms) {
    boolean isWasteful =
        entriesRead > FEW_READ && entriesRead > READ_PER_RESULT * Math.max(1, results);
    if (scope == Scope.BASE || !isWasteful) {
      return List.of();
    }
    IdentityHashMap<CompiledFilter, Long> matching = terms.matches();
    List<ExplainedTerms.Item> tests = new ArrayList<>(terms.improvable());
    tests.removeIf(test -> 2 * matching.getOrDefault(test.test(), 0L) > entriesRead);
    tests.sort(Comparator.comparingLong(test -> matching.getOrDefault(test.test(), 0L)));
    Map<AttributeType, Set<IndexKind>> wanted = new LinkedHashMap<>();
    Map<AttributeType, String> reasons = new LinkedHashMap<>();
    for (ExplainedTerms.Item test : tests) {
      long matches = matching.getOrDefault(test.test(), 0L);
      for (IndexDefinition missing : test.use().missing()) {
        wanted
            .computeIfAbsent(missing.type(), _ -> EnumSet.noneOf(IndexKind.class))
            .addAll(missing.kinds());
        reasons.merge(
            missing.type(),
            terms.texts().getOrDefault(test.test(), "") + " is true for " + matches,
            (one, other) -> one + ", " + other);
      }
    }
    return estimate(wanted, reasons);
  }

  private List<Advice> estimate(
      Map<AttributeType, Set<IndexKind>> wanted, Map<AttributeType, String> reasons) {
    List<Advice> advice = new ArrayList<>();
    wanted.forEach(
        (type, kinds) -> {
          if (advice.size() == MOST_ADVICE || !question.isWanted().getAsBoolean()) {
            return;
          }
          IndexDefinition definition = new IndexDefinition(type, kinds);
          try (LmdbSnapshot store = begin()) {
            IndexEstimate estimate = IndexEstimate.of(store, definition, nanoClock);
            advice.add(
                new Advice(
                    definition.toString(),
                    reasons.get(type) + " of the " + entriesRead + " entries read",
                    estimate.bytes(),
                    TimeUnit.NANOSECONDS.toMillis(estimate.nanos())));
          }
        });
    return advice;
  }

  /**
   * The approximate size of an index and the time to build it, estimated from the keys of some
   * entries all over the store.
   *
   * <p>Immutable.
   *
   * @param bytes the growth of the data file
   * @param nanos the time to build it while nothing else runs
   * @param entriesPerKey the entries that share a key with an entry, itself included, on average
   */
  public record IndexEstimate(long bytes, long nanos, long entriesPerKey) {
    private static final IndexEstimate OF_NOTHING = new IndexEstimate(0, 0, 0);

    private static final int SAMPLE = 2000;
    private static final double BLOCK_ENTRIES = 1 << 16;

    /** The bytes of LMDB's header of an item and of the pointer to it. */
    private static final int ITEM_BYTES = 10;

    private static final int ID_BYTES = 2;
    private static final int RUN_BYTES = 4;
    private static final int BITMAP_BYTES = PostingChunk.MAXIMUM_LENGTH;

    /** A key of this many entries of the sample is estimated by itself. */
    private static final int FREQUENT = 5;

    /** The fill of pages, which are rarely full. */
    private static final double FILL = 0.75;

    /** The time to sort a key and to merge it into the index. */
    private static final double NANOS_PER_POSTING = 1500;

    /** The number of entries in one commit of a build, and the time of one if none was measured. */
    private static final double COMMIT_ENTRIES = 2048;

    private static final double COMMIT_NANOS = 5e6;

    /** Estimates from some entries. */
    public static IndexEstimate of(
        LmdbSnapshot store, IndexDefinition definition, LongSupplier nanoClock) {
      long last = store.lastEntryId();
      long total = store.slot().environment().entryCount(store.slot().txn());
      if (total == 0) {
        return OF_NOTHING;
      }
      Sample sample = new Sample();
      EntryIndexer indexer = new EntryIndexer(store.attributes(), List.of(definition));
      boolean[] all = new boolean[store.attributes().size() + 1];
      Arrays.fill(all, true);
      EntryView view = new EntryView();
      long startNanos = nanoClock.getAsLong();
      long at = 0;
      for (int i = 0; i < SAMPLE && at < last; i++) {
        // At least the next one: small stores are read as a whole.
        at = Math.max(at, last * i / SAMPLE);
        if (!next(store, view, at)) {
          break;
        }
        at = view.id();
        indexer.emit(view, all, sample::add);
        sample.entries++;
      }
      long nanos = nanoClock.getAsLong() - startNanos;
      return sample.scaled(total, last, nanos);
    }

    private static boolean next(LmdbSnapshot store, EntryView view, long after) {
      SearchSpec all =
          new SearchSpec(
              LmdbSnapshot.NO_ENTRY, Scope.SUBTREE, CompiledFilter.Constant.TRUE, false, false);
      try (EntryCursor cursor = store.search(all, after)) {
        return cursor.next(view, 1) == EntryCursor.Step.ENTRY;
      }
    }

    /** The keys of some entries. Confined to one running operation. */
    private static final class Sample {
      private final Map<ByteBuffer, Integer> counts = new HashMap<>();
      private long entries;
      private double postings;

      private void add(byte[] prefix, int length) {
        counts.merge(ByteBuffer.wrap(Arrays.copyOf(prefix, length)), 1, Integer::sum);
        postings++;
      }

      private IndexEstimate scaled(long total, long last, long sampleNanos) {
        if (entries == 0) {
          return OF_NOTHING;
        }
        double factor = total / (double) entries;
        double allPostings = postings * factor;
        double nanos =
            sampleNanos * factor
                + allPostings * NANOS_PER_POSTING
                + total / COMMIT_ENTRIES * COMMIT_NANOS;
        double blocks = Math.ceil(last / BLOCK_ENTRIES);
        double bytes = 0;
        double others = 0;
        Rare rare = new Rare();
        for (Map.Entry<ByteBuffer, Integer> each : counts.entrySet()) {
          int count = each.getValue();
          int keyBytes = each.getKey().remaining();
          others += count * (count - 1.0);
          if (count >= FREQUENT) {
            double perBlock = factor / blocks;
            bytes +=
                blocks
                    * (item(keyBytes) + chunkBytes(count * perBlock, (entries - count) * perBlock));
          } else {
            rare.add(count, keyBytes);
          }
        }
        return new IndexEstimate(
            (long) ((bytes + rare.bytes(factor, blocks)) / FILL),
            (long) nanos,
            postings == 0 ? 0 : 1 + (long) (others / postings * factor));
      }

      /**
       * Returns the bytes of a chunk: a list, at most a bitmap, or runs between the entries without
       * the key.
       */
      private static double chunkBytes(double with, double without) {
        return Math.min(Math.min(ID_BYTES * with, BITMAP_BYTES), RUN_BYTES * (1 + without));
      }
    }

    private static double item(double keyBytes) {
      return keyBytes + IndexKeys.BLOCK_LENGTH + ITEM_BYTES;
    }

    /**
     * Keys that occur too rarely in the sample to be estimated one by one. Confined to one running
     * operation.
     */
    private static final class Rare {
      private int keys;
      private double postings;
      private double keyBytes;
      private double pairs;

      private void add(int count, int bytes) {
        keys++;
        postings += count;
        keyBytes += (double) count * bytes;
        pairs += count * (count - 1.0) / 2;
      }

      private double bytes(double factor, double blocks) {
        if (keys == 0) {
          return 0;
        }
        double allPostings = postings * factor;
        double places = distinct(allPostings) * blocks;
        double chunks = places * (1 - Math.exp(-allPostings / places));
        return chunks * item(keyBytes / postings) + allPostings * ID_BYTES;
      }

      /**
       * Returns the number of keys, estimated from how often two entries of the sample share one.
       */
      private double distinct(double allPostings) {
        double byPairs = pairs == 0 ? allPostings : postings * postings / 2 / pairs;
        return Math.max(keys, Math.min(allPostings, byPairs));
      }
    }
  }
}
