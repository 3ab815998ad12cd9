package org.nyala.core.update;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.MemoryBounds;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.session.OperationFixture;
import org.nyala.core.update.ChangeFeed.Follower;
import org.nyala.core.update.ChangeListener.Images;

class ChangeFeedTest {
  private static final long PLENTY = 1 << 20;

  private final AtomicInteger wakes = new AtomicInteger();

  private final MemoryBudget budget =
      new MemoryBudget(new MemoryBounds(8 << 20, 8 << 20, 8 << 20), System::nanoTime);

  private Follower follow(ChangeFeed feed, int connection) {
    return feed.follow(connection, wakes::incrementAndGet);
  }

  private Follower follow(ChangeFeed feed, String owner) {
    return feed.follow(1, budget.open(owner), Images.LATEST, wakes::incrementAndGet);
  }

  private static List<CommittedChange> commit(long... ids) {
    List<CommittedChange> changes = new ArrayList<>();
    for (long id : ids) {
      changes.add(
          new CommittedChange(
              new ResolvedChange.Delete(Dn.EMPTY, id),
              id,
              new Csn(id, 0, 1, 0),
              null,
              null,
              false,
              Dn.EMPTY));
    }
    return changes;
  }

  private static List<Long> take(Follower follower) {
    List<Long> ids = new ArrayList<>();
    for (List<CommittedChange> changes = follower.peek();
        changes != null;
        changes = follower.peek()) {
      changes.forEach(change -> ids.add(change.entryId()));
      follower.advance();
    }
    return ids;
  }

  @Test
  void shouldPassOnWhatIsCommittedWhileItIsFollowed() {
    ChangeFeed feed = new ChangeFeed(2, 2, 2, PLENTY);
    assertThat(feed.images()).isEqualTo(Images.NONE);
    feed.committed(commit(1));
    Follower first = follow(feed, 1);
    assertThat(feed.images()).isEqualTo(Images.LATEST);
    assertThat(first.isReady()).isFalse();
    feed.committed(commit(2, 3));
    Follower second = follow(feed, 1);
    feed.committed(commit(4));
    assertThat(first.isReady()).isTrue();
    assertThat(take(first)).containsExactly(2L, 3L, 4L);
    assertThat(take(second)).containsExactly(4L);
    assertThat(wakes).hasValue(3);
    assertThat(first.isReady()).isFalse();
  }

  @Test
  void shouldKeepACommitUntilItIsPassed() {
    ChangeFeed feed = new ChangeFeed(1, 1, 1, PLENTY);
    Follower follower = follow(feed, 1);
    feed.committed(commit(1));
    assertThat(follower.peek()).isSameAs(follower.peek()).isNotNull();
    assertThat(follower.isReady()).isTrue();
    feed.committed(commit(2));
    assertThat(take(follower)).containsExactly(1L, 2L);
    assertThat(follower.isReady()).isFalse();
    assertThat(follower.isLost()).isFalse();
  }

  @Test
  void shouldBoundFollowersInAllAndPerConnection() {
    ChangeFeed feed = new ChangeFeed(3, 2, 3, PLENTY);
    Follower first = follow(feed, 1);
    assertThat(follow(feed, 1)).isNotNull();
    assertThat(follow(feed, 1)).isNull();
    assertThat(follow(feed, 2)).isNotNull();
    first.close();
    first.close();
    assertThat(feed.followers()).isEqualTo(2);
    assertThat(follow(feed, 3)).isNotNull();
    assertThat(feed.followers()).isEqualTo(3);
  }

  @Test
  void shouldMakeWayForOneOfAnOwnerThatHasFewer() {
    ChangeFeed feed = new ChangeFeed(3, 3, 3, PLENTY);
    Follower oldest = follow(feed, 1);
    Follower second = follow(feed, 1);
    Follower other = follow(feed, 2);
    Follower newcomer = follow(feed, 3);
    assertThat(oldest.loss()).isEqualTo(ChangeFeed.Loss.DISPLACED);
    assertThat(oldest.isLost()).isTrue();
    assertThat(feed.followers()).isEqualTo(3);
    feed.committed(commit(1));
    assertThat(take(second)).containsExactly(1L);
    assertThat(take(other)).containsExactly(1L);
    assertThat(take(newcomer)).containsExactly(1L);
    assertThat(oldest.peek()).isNull();
  }

  @Test
  void shouldLetGoWhoFallsBehindAndNobodyElse() {
    ChangeFeed feed = new ChangeFeed(2, 2, 2, 1000);
    Follower slow = follow(feed, 1);
    Follower quick = follow(feed, 1);
    feed.committed(commit(1, 2, 3, 4, 5));
    feed.committed(commit(6));
    assertThat(slow.isLost()).isFalse();
    assertThat(take(quick)).hasSize(6);
    feed.committed(commit(7));
    assertThat(slow.isLost()).isTrue();
    assertThat(slow.isReady()).isTrue();
    assertThat(slow.peek()).isNull();
    assertThat(take(quick)).containsExactly(7L);
    assertThat(feed.followers()).isEqualTo(1);
  }

  @Test
  void shouldHoldWhatTheSlowestIsBehind() {
    ChangeFeed feed = new ChangeFeed(3, 3, 3, Long.MAX_VALUE);
    Follower slow = follow(feed, "ann");
    Follower quick = follow(feed, "eve");
    feed.committed(commit(new long[1000]));
    long one = budget.held();
    assertThat(one).isBetween(200_000L, 300_000L);
    take(quick);
    feed.committed(commit(new long[1000]));
    assertThat(budget.held()).isGreaterThan(one);
    take(quick);
    slow.advance();
    assertThat(budget.held()).isEqualTo(one);
    slow.close();
    assertThat(budget.held()).isZero();
    feed.committed(commit(new long[1000]));
    assertThat(take(quick)).hasSize(1000);
    assertThat(budget.held()).isZero();
  }

  @Test
  void shouldLetTheSlowestGoFirstWhereThereIsNoRoom() {
    ChangeFeed feed = new ChangeFeed(3, 3, 3, Long.MAX_VALUE);
    Follower slowest = follow(feed, "ann");
    feed.committed(commit(new long[1000]));
    Follower slow = follow(feed, "ann");
    Follower quick = follow(feed, "eve");
    for (int i = 0; i < 2; i++) {
      feed.committed(commit(new long[1000]));
      take(quick);
    }
    assertThat(slowest.isLost()).isFalse();
    int woken = wakes.get();
    MemoryAccount others = budget.open("others");
    others.take(budget.bounds().wholeBytes() - budget.held() - (1 << 20));
    feed.committed(commit(new long[1000]));
    assertThat(slowest.isLost()).isTrue();
    assertThat(wakes.get() - woken).as("the lost change is reported").isEqualTo(3);
    assertThat(slow.isLost()).isFalse();
    feed.committed(commit(new long[1000]));
    assertThat(slow.isLost()).isTrue();
    assertThat(take(quick)).hasSize(2000);
    assertThat(feed.followers()).isEqualTo(1);
    others.giveBack(others.held());
    assertThat(budget.held()).isZero();
  }

  @Test
  void shouldBoundFollowersPerOwner() {
    ChangeFeed feed = new ChangeFeed(9, 9, 2, PLENTY);
    Follower first = feed.follow(1, budget.open("ann"), Images.LATEST, wakes::incrementAndGet);
    assertThat(feed.follow(2, budget.open("ann"), Images.LATEST, wakes::incrementAndGet))
        .isNotNull();
    assertThat(feed.follow(3, budget.open("ann"), Images.LATEST, wakes::incrementAndGet)).isNull();
    assertThat(feed.follow(3, budget.open("eve"), Images.LATEST, wakes::incrementAndGet))
        .isNotNull();
    Objects.requireNonNull(first).close();
    assertThat(feed.follow(3, budget.open("ann"), Images.LATEST, wakes::incrementAndGet))
        .isNotNull();
  }

  @Test
  void shouldNotLoseAFollowerToOneLargeCommit() {
    ChangeFeed feed = new ChangeFeed(1, 1, 1, 1);
    Follower follower = follow(feed, 1);
    feed.committed(commit(1, 2, 3));
    assertThat(take(follower)).containsExactly(1L, 2L, 3L);
  }

  @Test
  void shouldHoldNothingOfAFollowerThatLeft() {
    ChangeFeed feed = new ChangeFeed(1, 1, 1, PLENTY);
    Follower follower = follow(feed, 1);
    feed.committed(commit(1));
    follower.close();
    feed.committed(commit(2));
    assertThat(feed.images()).isEqualTo(Images.NONE);
    assertThat(follower.peek()).isNull();
    assertThat(follower.isLost()).isTrue();
    assertThat(wakes).hasValue(1);
  }

  @Test
  void shouldDropTheFollowersOfANamingContextThatWasRefreshed() throws Exception {
    ChangeFeed feed = new ChangeFeed(4, 4, 4, PLENTY);
    Dn suffix = DnParser.parse(OperationFixture.SCHEMA, "dc=copy");
    List<Follower> followers = new ArrayList<>();
    for (String base : List.of("", "dc=copy", "ou=a,dc=copy", "dc=other")) {
      Dn name = DnParser.parse(OperationFixture.SCHEMA, base);
      followers.add(
          feed.follow(1, budget.open("ann"), name, Images.LATEST, wakes::incrementAndGet));
    }
    feed.refreshed(suffix, false);
    assertThat(followers).extracting(Follower::isLost).containsExactly(true, true, true, false);
    assertThat(followers.getFirst().loss()).isEqualTo(ChangeFeed.Loss.REFRESHED);
    assertThat(wakes).hasValue(3);
    feed.refreshed(DnParser.parse(OperationFixture.SCHEMA, "dc=other"), true);
    assertThat(followers.getLast().loss()).isEqualTo(ChangeFeed.Loss.REPAIRED);
  }

  @Test
  void shouldGoOnWhenAFollowerCannotBeWoken() {
    ChangeFeed feed = new ChangeFeed(2, 2, 2, PLENTY);
    Follower broken =
        feed.follow(
            1,
            () -> {
              throw new IllegalStateException("its event loop has ended");
            });
    Follower sound = follow(feed, 1);
    feed.committed(commit(1));
    assertThat(broken.isLost()).isTrue();
    assertThat(take(sound)).containsExactly(1L);
    assertThat(feed.followers()).isEqualTo(1);
  }

  @Test
  void shouldHaveOwnersTakeTurns() {
    ChangeFeed feed = new ChangeFeed(9, 9, 9, PLENTY);
    feed.shareWorkers(() -> 2);
    List<Follower> followers = new ArrayList<>();
    List<String> woken = new ArrayList<>();
    List<String> owners = List.of("ann", "ann", "ann", "ann", "ann", "eve");
    for (int i = 0; i < owners.size(); i++) {
      int number = i;
      followers.add(
          feed.follow(
              1,
              budget.open(owners.get(i)),
              Images.LATEST,
              () -> {
                assertThat(followers.get(number).isReady()).isTrue();
                woken.add(owners.get(number));
              }));
    }
    feed.committed(commit(1));
    assertThat(woken).hasSize(1);
    for (int i = 1; i < owners.size(); i++) {
      assertThat(followers).filteredOn(Follower::isReady).hasSize(1).allMatch(each -> rests(each));
      assertThat(woken).hasSize(i + 1);
    }
    assertThat(woken.subList(0, 2)).containsExactlyInAnyOrder("ann", "eve");
  }

  private static boolean rests(Follower follower) {
    take(follower);
    follower.rest();
    return true;
  }

  @Test
  void shouldLoseNothingBetweenAWriterAndItsFollowers() throws InterruptedException {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    int commits = 20_000;
    ChangeFeed feed = new ChangeFeed(4, 4, 4, Long.MAX_VALUE);
    List<Thread> threads = new ArrayList<>();
    List<List<Long>> seen = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Follower follower = follow(feed, i);
      List<Long> ids = new ArrayList<>();
      seen.add(ids);
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (ids.isEmpty() || ids.getLast() < commits) {
                      ids.addAll(take(follower));
                      Thread.onSpinWait();
                    }
                  }));
    }
    List<Long> all = new ArrayList<>();
    long id = 0;
    while (id < commits) {
      long[] ids = new long[1 + random.nextInt(5)];
      for (int i = 0; i < ids.length; i++) {
        ids[i] = ++id;
        all.add(id);
      }
      feed.committed(commit(ids));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(seen).as("seed %d", seed).allSatisfy(ids -> assertThat(ids).isEqualTo(all));
  }
}
