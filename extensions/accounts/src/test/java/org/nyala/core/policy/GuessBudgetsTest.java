package org.nyala.core.policy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.access.GuessLog;
import org.nyala.core.access.GuessingLimits;
import org.nyala.core.accounts.SharedAccounts;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.ResultCode;

/** Tests the budgets of those who guess passwords. */
class GuessBudgetsTest {
  private static final GuessingLimits LIMITS = new GuessingLimits(12, 4, 5, 60);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final AtomicLong clock = new AtomicLong(-7);
  private final LongAdder refused = new LongAdder();
  private final LongAdder wrong = new LongAdder();
  private final GuessLog log =
      new GuessLog() {
        @Override
        public void guessed(RefusalReason reason) {
          assertThat(reason).isEqualTo(RefusalReason.WRONG_PASSWORD);
          wrong.increment();
        }

        @Override
        public void attemptRefused() {
          refused.increment();
        }
      };
  private final GuessBudgets budgets = budgets(1);

  private GuessBudgets budgets(long seed) {
    return new GuessBudgets(new Random(seed), clock::get, 1);
  }

  private PasswordAttempt attempt(String source, String name) {
    return attempt(budgets, source, false, name);
  }

  private PasswordAttempt attempt(
      GuessBudgets of, String source, boolean isOnThisMachine, String name) {
    return of.attempt(LIMITS, source, isOnThisMachine, name.getBytes(UTF_8), log);
  }

  private static boolean begins(PasswordAttempt attempt) {
    boolean hasRoom = true;
    try {
      attempt.requireRoom();
    } catch (LdapOperationException e) {
      hasRoom = false;
    }
    try {
      attempt.begin();
      assertThat(hasRoom).isTrue();
      return true;
    } catch (LdapOperationException e) {
      assertThat(e.result().code()).isEqualTo(ResultCode.BUSY);
      assertThat(hasRoom).isFalse();
      return false;
    }
  }

  /** Returns how many of some wrong passwords are looked at. */
  private int failures(String source, String name, int tries) {
    int begun = 0;
    for (int i = 0; i < tries; i++) {
      begun += begins(attempt(source, name)) ? 1 : 0;
    }
    return begun;
  }

  @Test
  void shouldCountFailuresOfOneSourceAgainstManyNames() {
    int begun = 0;
    for (int i = 0; i < 100; i++) {
      begun += failures("source", "name" + i, 1);
    }
    assertThat(begun).isEqualTo(12);
    assertThat(refused.sum()).isEqualTo(2 * 88);
    clock.addAndGet(5 * SECOND);
    assertThat(failures("source", "other", 2)).isEqualTo(1);
  }

  @Test
  void shouldCountFailuresOfManySourcesAgainstOneName() {
    int begun = 0;
    for (int i = 0; i < 100; i++) {
      begun += failures("source" + i, "name", 1);
    }
    assertThat(begun).isEqualTo(4);
    // A refusal is no failure of the source, which has all of its budget for other names.
    int others = 0;
    for (int i = 0; i < 20; i++) {
      others += failures("source99", "other" + i, 1);
    }
    assertThat(others).isEqualTo(12);
  }

  @Test
  void shouldChargeQuickAttemptsWhenTheyHaveFailed() throws Exception {
    for (int i = 0; i < 4; i++) {
      PasswordAttempt quick = attempt("source", "name");
      quick.admit();
      quick.failed();
      assertThat(quick.isAdmitted()).isFalse();
    }
    assertThat(wrong.sum()).isEqualTo(4);
    assertThat(begins(attempt("source", "name"))).isFalse();
    clock.addAndGet(15 * SECOND);
    assertThat(begins(attempt("source", "name"))).isTrue();
  }

  @Test
  void shouldGrowEvenlyAndNoFurtherThanWhole() {
    assertThat(failures("source", "name", 10)).isEqualTo(4);
    clock.addAndGet(15 * SECOND - 1);
    assertThat(failures("source", "name", 10)).isZero();
    clock.incrementAndGet();
    assertThat(failures("source", "name", 10)).isEqualTo(1);
    clock.addAndGet(TimeUnit.DAYS.toNanos(300));
    assertThat(failures("source", "name", 10)).isEqualTo(4);
  }

  @Test
  void shouldLetOwnersInWhereTheyHaveBoundBefore() {
    PasswordAttempt first = attempt("home", "name");
    assertThat(begins(first)).isTrue();
    first.succeeded();
    for (int i = 0; i < 50; i++) {
      failures("source" + i, "name", 1);
      failures("home", "other" + i, 1);
    }
    assertThat(failures("elsewhere", "name", 1)).isZero();
    for (int i = 0; i < 50; i++) {
      PasswordAttempt again = attempt("home", "name");
      assertThat(begins(again)).isTrue();
      again.succeeded();
    }
    // The budget of the pair counts failures only, and bounds who guesses there.
    assertThat(failures("home", "name", 50)).isEqualTo(5);
  }

  @Test
  void shouldCountOnThisMachineByPairAndSource() {
    failures("elsewhere", "cn=admin", 50);
    int begun = 0;
    for (int i = 0; i < 50; i++) {
      begun += begins(attempt(budgets, "127.0.0.1", true, "cn=admin")) ? 1 : 0;
    }
    assertThat(begun).isEqualTo(5);
    begun = 0;
    for (int i = 0; i < 50; i++) {
      begun += begins(attempt(budgets, "127.0.0.1", true, "cn=" + i)) ? 1 : 0;
    }
    assertThat(begun).isEqualTo(12 - 5);
  }

  @Test
  void shouldChargeSourcesForWorkWhoseAnswerNobodyAwaits() {
    for (int i = 0; i < 12; i++) {
      PasswordAttempt attempt = attempt("source", "name");
      assertThat(begins(attempt)).isTrue();
      attempt.unanswered();
    }
    assertThat(failures("source", "name", 1)).isZero();
    assertThat(failures("other", "name", 10)).isEqualTo(4);
  }

  @Test
  void shouldLimitNothingWithoutLimits() {
    for (int i = 0; i < 1000; i++) {
      PasswordAttempt attempt =
          budgets.attempt(GuessingLimits.NONE, "a", i % 2 == 0, "b".getBytes(UTF_8), log);
      assertThat(begins(attempt)).isTrue();
    }
  }

  @Test
  void shouldHaveRoomForOneAttemptOfEachProcessor() {
    GuessBudgets parallel = new GuessBudgets(new Random(1), clock::get, 9);
    int begun = 0;
    for (int i = 0; i < 50; i++) {
      begun += begins(attempt(parallel, "source", false, "name")) ? 1 : 0;
    }
    assertThat(begun).isEqualTo(9);
  }

  /** Neither other names nor other sources make room for somebody whose budget is spent. */
  @Test
  void shouldNotForgetFailuresInAFlood() {
    assertThat(failures("source", "name", 4)).isEqualTo(4);
    long seed = Seeds.seed();
    Random random = new Random(seed);
    int strangers = 0;
    for (int i = 0; i < 200_000; i++) {
      String name = "name" + random.nextLong();
      strangers += begins(attempt("source" + random.nextLong(), name)) ? 1 : 0;
    }
    assertThat(strangers).as("seed %d", seed).isGreaterThan(150_000);
    assertThat(failures("another", "name", 1)).isZero();
  }

  /** A thousand names whose budgets are spent leave nearly all others alone. */
  @Test
  void shouldConfuseFewNames() {
    for (int i = 0; i < 4000; i++) {
      failures("source" + i, "spent" + i % 1000, 1);
    }
    int confused = 0;
    for (int i = 0; i < 20_000; i++) {
      confused += failures("s" + i, "name" + i, 1) == 0 ? 1 : 0;
    }
    assertThat(confused).isLessThan(40);
  }

  /** An account that binds from everywhere displaces its own sources only. */
  @Test
  void shouldKeepTheSourcesOfOthers() {
    KnownSources known = new KnownSources();
    Random random = new Random(5);
    long mine = random.nextLong();
    // Of the same set, as the low bits decide.
    long theirs = mine ^ 1L << 60;
    for (int i = 0; i < 8; i++) {
      known.note(theirs, (long) i << 30, i);
    }
    for (int i = 0; i < 10_000; i++) {
      known.note(mine, random.nextLong(), 100 + i);
    }
    known.note(mine, 77L << 30, 20_000);
    assertThat(known.include(mine, 77L << 30)).isTrue();
    for (int i = 0; i < 8; i++) {
      assertThat(known.include(theirs, (long) i << 30)).isTrue();
    }
  }

  /**
   * More sources than there is room for, one after the other, leave those known that were first.
   */
  @Test
  void shouldKeepSourcesThatBindInTurn() {
    KnownSources known = new KnownSources();
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < 12; i++) {
        assertThat(known.include(0, (long) i << 30)).isEqualTo(round > 0 && i < 8);
        known.note(0, (long) i << 30, 100 * round + i);
      }
    }
  }

  @Test
  void shouldHaveRoomForManySourcesOfAName() {
    KnownSources known = new KnownSources();
    Random random = new Random(6);
    long name = random.nextLong();
    long[] pairs = random.longs(64).toArray();
    for (long pair : pairs) {
      known.note(name, pair, 1);
    }
    assertThat(Arrays.stream(pairs).filter(pair -> known.include(name, pair)).count())
        .isGreaterThan(58);
  }

  @Test
  void shouldForgetTheOldestSourceFirst() {
    KnownSources known = new KnownSources();
    for (int i = 0; i < 8; i++) {
      known.note(0, (long) (i + 1) << 30, 1000 + i);
    }
    known.note(0, 1L << 30, 5000);
    known.note(0, 99L << 30, 5001);
    assertThat(known.include(0, 1L << 30)).isTrue();
    assertThat(known.include(0, 2L << 30)).isFalse();
    assertThat(known.include(0, 99L << 30)).isTrue();
  }

  /** The rule by itself: each key's failures, one by one, and the pairs that have succeeded. */
  private final class Oracle {
    private final Map<String, List<Long>> failures = new HashMap<>();
    private final Set<String> known = new HashSet<>();

    private boolean hasRoom(String key, int most) {
      double each = 60.0 * SECOND / most;
      double debt = 0;
      long last = Long.MIN_VALUE / 2;
      for (long at : failures.getOrDefault(key, List.of())) {
        debt = Math.max(0, debt - (at - last)) + each;
        last = at;
      }
      debt = Math.max(0, debt - (clock.get() - last));
      return debt <= each * (most - 1) + 1e-3;
    }

    /** Returns the keys to be charged; null if there is no room. */
    private List<String> charged(String source, boolean isLocal, String name) {
      List<String> keys = new ArrayList<>();
      List<Boolean> room = new ArrayList<>();
      boolean isKnown = known.contains(source + '/' + name);
      if (!isKnown) {
        keys.add("source " + source);
        room.add(hasRoom("source " + source, 12));
      }
      if (isKnown || isLocal) {
        keys.add("pair " + source + '/' + name);
        room.add(hasRoom("pair " + source + '/' + name, 5));
      } else {
        keys.add("name " + name);
        room.add(hasRoom("name " + name, 4));
      }
      return room.contains(false) ? null : keys;
    }

    private void fail(List<String> keys) {
      keys.forEach(key -> failures.computeIfAbsent(key, _ -> new ArrayList<>()).add(clock.get()));
    }
  }

  @Test
  void shouldFollowTheRule() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    // The keys share no cells with these numbers; shouldConfuseFewNames is about those that do.
    GuessBudgets tested = budgets(1);
    Oracle oracle = new Oracle();
    int admitted = 0;
    for (int i = 0; i < 20_000; i++) {
      clock.addAndGet(random.nextInt(10) == 0 ? random.nextLong(3 * SECOND) : 1_000_003);
      boolean isLocal = random.nextInt(4) == 0;
      String source = isLocal ? "here" : "source" + random.nextInt(6);
      String name = "name" + random.nextInt(10);
      PasswordAttempt attempt = attempt(tested, source, isLocal, name);
      List<String> charged = oracle.charged(source, isLocal, name);
      assertThat(begins(attempt)).as("seed %d, step %d", seed, i).isEqualTo(charged != null);
      if (charged == null) {
        continue;
      }
      admitted++;
      int outcome = random.nextInt(10);
      if (outcome == 0) {
        attempt.succeeded();
        oracle.known.add(source + '/' + name);
      } else if (outcome == 1) {
        attempt.unanswered();
        // The source pays, or the pair if the source has no budget.
        List<String> paying = charged.stream().filter(key -> key.startsWith("source")).toList();
        oracle.fail(paying.isEmpty() ? charged : paying);
      } else {
        oracle.fail(charged);
      }
    }
    assertThat(admitted).isBetween(1000, 19_000);
  }

  /** Parallel guesses do not exceed the budget, as each is charged before it is looked at. */
  @Test
  void shouldAdmitNoMoreAtOnceThanOneAfterTheOther() throws Exception {
    int threads = 8;
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      for (int round = 0; round < 200; round++) {
        String name = "name" + round;
        String source = "source" + round;
        CountDownLatch start = new CountDownLatch(1);
        List<Future<Integer>> begun = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
          int thread = t;
          begun.add(
              pool.submit(
                  () -> {
                    start.await();
                    int count = 0;
                    for (int i = 0; i < 5; i++) {
                      try {
                        attempt(source + '.' + thread, name).begin();
                        count++;
                      } catch (LdapOperationException _) {
                        // Refused, as it should be.
                      }
                    }
                    return count;
                  }));
        }
        start.countDown();
        int sum = 0;
        for (Future<Integer> each : begun) {
          sum += each.get();
        }
        assertThat(sum).isEqualTo(4);
      }
    }
  }

  /** Whatever parallel attempts were charged is given back when they succeed. */
  @Test
  void shouldOweNothingAfterParallelSuccesses() throws Exception {
    int threads = 4;
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      List<Future<?>> all = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        all.add(
            pool.submit(
                () -> {
                  for (int i = 0; i < 5_000; i++) {
                    PasswordAttempt attempt = attempt("home", "name");
                    attempt.begin();
                    attempt.succeeded();
                  }
                  return null;
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
    assertThat(failures("home", "name", 50)).isEqualTo(5);
    assertThat(failures("elsewhere", "name", 50)).isEqualTo(4);
    assertThat(refused.sum()).isEqualTo(2 * (45 + 46));
  }

  private static byte[] told(GuessBudgets by) {
    return Objects.requireNonNull(by.takeGuesses());
  }

  @Test
  void shouldCountWhatOtherServersHaveSeen() {
    GuessBudgets other = budgets(2);
    assertThat(budgets.takeGuesses()).isNull();
    for (int i = 0; i < 4; i++) {
      attempt("stranger", "ann").failed();
    }
    attempt(budgets, "127.0.0.1", true, "bob").failed();
    byte[] told = told(budgets);
    assertThat(budgets.takeGuesses()).isNull();
    other.learn(LIMITS, told);
    assertThat(begins(attempt(other, "another", false, "ann"))).isFalse();
    assertThat(begins(attempt(other, "another", false, "carl"))).isTrue();
    for (int i = 0; i < 3; i++) {
      assertThat(begins(attempt(other, "another", false, "bob"))).isTrue();
    }
    // An owner who has bound from somewhere spends no budget of strangers, there or here.
    PasswordAttempt owner = attempt("home", "dora");
    owner.succeeded();
    for (int i = 0; i < 4; i++) {
      attempt("home", "dora").failed();
    }
    other.learn(LIMITS, told(budgets));
    assertThat(begins(attempt(other, "another", false, "dora"))).isTrue();
  }

  @Test
  void shouldTellNoMoreThanOneFormHolds() {
    assertThat(budgets.takeGuesses()).isNull();
    for (int i = 0; i < 10_000; i++) {
      attempt("source" + i, "name" + i).failed();
    }
    attempt("s", "n".repeat(1025)).failed();
    assertThat(told(budgets)).hasSizeBetween(60_000, SharedAccounts.MOST_BYTES);
  }

  @Test
  void shouldRefuseWhatIsNoListOfGuesses() {
    assertThat(budgets.takeGuesses()).isNull();
    attempt("source", "name").failed();
    byte[] told = told(budgets);
    for (int length = 1; length < told.length; length++) {
      byte[] cut = Arrays.copyOf(told, length);
      assertThatIllegalArgumentException().isThrownBy(() -> budgets.learn(LIMITS, cut));
    }
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      byte[] other = told.clone();
      other[random.nextInt(other.length)] = (byte) random.nextInt();
      try {
        budgets.learn(LIMITS, other);
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessage("no list of wrong passwords");
      }
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> budgets.learn(LIMITS, new byte[SharedAccounts.MOST_BYTES + 1]));
  }
}
