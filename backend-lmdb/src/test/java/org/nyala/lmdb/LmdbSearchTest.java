package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.EntryCursor.Step;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.Scope;

public class LmdbSearchTest {
  private static final int SEARCHES = 1500;
  private static final List<Scope> SCOPES = List.of(Scope.values());

  @TempDir Path directory;

  @Test
  void shouldFindWhatBruteForceFinds() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    TestStore store = TestStore.random(directory, random, 300);
    try (LmdbBackend backend = store.open()) {
      int exactAnswers = compare(backend::beginRead, store, random, SEARCHES, "seed " + seed);
      assertThat(exactAnswers).as("seed %d", seed).isGreaterThan(SEARCHES / 20);
    }
  }

  /** Compares random searches with brute force; returns how many were exact. */
  static int compare(
      Supplier<ReadTransaction> reads, TestStore store, Random random, int searches, String seed) {
    FilterOracle oracle = new FilterOracle(store, random);
    int exactAnswers = 0;
    for (int round = 0; round < searches; round++) {
      Scope scope = SCOPES.get(random.nextInt(4));
      long base = random.nextBoolean() ? store.entries.firstKey() : store.randomId(random);
      boolean withReferrals = random.nextInt(3) == 0;
      boolean withAliases = random.nextInt(3) == 0;
      CompiledFilter filter = oracle.filter(3);
      SearchSpec spec = new SearchSpec(base, scope, filter, withReferrals, withAliases);
      List<Long> found = new ArrayList<>();
      boolean exact = collect(reads, spec, store, oracle, random, found);
      exactAnswers += exact ? 1 : 0;
      assertThat(found)
          .as("%s round %d: %s", seed, round, spec)
          .isEqualTo(expected(store, oracle, spec));
    }
    return exactAnswers;
  }

  /** Walks with random limits, now and then in a new read. Returns whether it was exact. */
  private static boolean collect(
      Supplier<ReadTransaction> reads,
      SearchSpec spec,
      TestStore store,
      FilterOracle oracle,
      Random random,
      List<Long> found) {
    long position = 0;
    boolean allExact = true;
    Step step = Step.LIMIT;
    int slices = 0;
    while (step != Step.END) {
      int stopAfter = random.nextInt(3) == 0 ? random.nextInt(20) : Integer.MAX_VALUE;
      try (ReadTransaction read = reads.get();
          EntryCursor cursor = read.search(spec, position)) {
        EntryView view = new EntryView();
        boolean exact = cursor.isExact();
        allExact &= exact;
        for (int shown = 0; step != Step.END && shown < stopAfter; shown++) {
          step = cursor.next(view, 1 + random.nextInt(200));
          assertThat(cursor.position()).isGreaterThanOrEqualTo(position);
          position = cursor.position();
          if (step == Step.ENTRY) {
            assertThat(view.id()).isEqualTo(position);
            check(store, view);
            if (exact || passes(spec, oracle, view)) {
              found.add(view.id());
            }
          }
        }
      }
      assertThat(++slices).isLessThan(10_000);
    }
    return allExact;
  }

  private static void check(TestStore store, EntryView view) {
    String dn = new String(view.dn(), StandardCharsets.UTF_8);
    if (!dn.equals(store.entries.get(view.id()).dn().toString())) {
      assertThat(dn).isEqualTo(store.entries.get(view.id()).dn().toString());
    }
  }

  public static boolean passes(SearchSpec spec, FilterOracle oracle, EntryView view) {
    return isWanted(spec, view.flags())
        || oracle.evaluate(spec.filter(), view.id()) == Ternary.TRUE;
  }

  private static boolean isWanted(SearchSpec spec, int flags) {
    return spec.scope() != Scope.BASE
        && (spec.withReferrals() && (flags & EntryRecord.REFERRAL) != 0
            || spec.withAliases() && (flags & EntryRecord.ALIAS) != 0);
  }

  public static List<Long> expected(TestStore store, FilterOracle oracle, SearchSpec spec) {
    List<Long> expected = new ArrayList<>();
    long base = spec.baseId();
    for (long id : store.entries.keySet()) {
      boolean inScope =
          switch (spec.scope()) {
            case BASE -> id == base;
            case ONE_LEVEL -> store.parents.get(id) == base;
            case SUBTREE -> store.isWithin(id, base);
            case SUBORDINATE -> id != base && store.isWithin(id, base);
          };
      if (inScope
          && (isWanted(spec, flags(store, id))
              || oracle.evaluate(spec.filter(), id) == Ternary.TRUE)) {
        expected.add(id);
      }
    }
    return expected;
  }

  static int flags(TestStore store, long id) {
    String classes = "";
    for (var description : store.entries.get(id).descriptions()) {
      if (description.type().name().equals("objectClass")) {
        for (byte[] value : store.entries.get(id).values(description)) {
          classes += " " + new String(value, StandardCharsets.UTF_8);
        }
      }
    }
    return (classes.contains("referral") ? EntryRecord.REFERRAL : 0)
        | (classes.contains("alias") ? EntryRecord.ALIAS : 0);
  }
}
