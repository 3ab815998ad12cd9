package org.nyala.core.update;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.OwnedSlots;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntrySnapshot;

/**
 * Passes on committed changes to followers, each at its own pace.
 *
 * <p>Thread-safe. All followers share one chain of commits, of which each remembers how far it has
 * come: a commit of any size costs its writer the same for every follower, and memory is held for
 * the slowest one only, on the account of the feed. A follower that falls too far behind is
 * dropped, and so are the slowest ones if there is no room for their backlog. Of those that have
 * something new only a few are at work at the same time: half as many as there are workers.
 */
public final class ChangeFeed implements ChangeListener {
  private static final System.Logger LOG = System.getLogger(ChangeFeed.class.getName());

  /** The approximate memory of a change beside its image, in bytes. */
  private static final int CHANGE_BYTES = 200;

  /** The workers for each follower at work: the others are left to those who do not follow. */
  private static final int WORKERS_PER_TURN = 2;

  /** The position of a follower that was dropped. */
  private static final Commit LOST = new Commit(List.of(), 0, 0);

  /** The reasons why a follower was dropped. */
  public enum Loss {
    /** It has fallen behind, or was closed. */
    BEHIND,
    /** Another client has taken its place. */
    DISPLACED,
    /** The naming context was refreshed from another server, in changes without order. */
    REFRESHED,
    /** It was refreshed from nothing, in changes that earlier numbers may not tell of. */
    REPAIRED
  }

  private static final class Commit {
    final List<CommittedChange> changes;
    final long startBytes;
    final long endBytes;
    final AtomicInteger followers = new AtomicInteger();
    volatile @Nullable Commit next;

    Commit(List<CommittedChange> changes, long startBytes, long length) {
      this.changes = changes;
      this.startBytes = startBytes;
      this.endBytes = startBytes + length;
    }
  }

  private final OwnedSlots slots;
  private final int limitPerConnection;
  private final int limitPerOwner;
  private final long backlogBytes;
  private final Map<Integer, Integer> counts = new HashMap<>();
  private final Set<Follower> followers = ConcurrentHashMap.newKeySet();
  private final AtomicInteger numbers = new AtomicInteger();
  private volatile IntSupplier workers = Runtime.getRuntime()::availableProcessors;
  private final FollowerTurns turns =
      new FollowerTurns(() -> Math.max(1, workers.getAsInt() / WORKERS_PER_TURN));
  private volatile Commit last = new Commit(List.of(), 0, 0);

  /** The position of the slowest follower, or the last commit if none is behind it. */
  private volatile Commit slowest = last;

  /** The followers that compare entries with what they were. */
  private volatile int comparing;

  private @Nullable SteppedCharge charge;

  /**
   * Creates a feed without followers, of which each owner has a share.
   *
   * @param limit the maximum number of followers: further ones take the places of those of the
   *     owner that has most
   * @param limitPerConnection the maximum number of one connection
   * @param limitPerOwner the maximum number of followers of one owner
   * @param backlogBytes the maximum backlog of a follower, in bytes of entries, roughly; the newest
   *     commit does not count
   */
  public ChangeFeed(int limit, int limitPerConnection, int limitPerOwner, long backlogBytes) {
    this.limitPerOwner = limitPerOwner;
    this.slots = new OwnedSlots(OwnedSlots.Kind.FOLLOWERS, () -> limit);
    this.limitPerConnection = limitPerConnection;
    this.backlogBytes = backlogBytes;
  }

  /** Sets the source of the number of workers, which changes at any time. */
  public void shareWorkers(IntSupplier number) {
    workers = number;
  }

  /**
   * Begins to follow all naming contexts. Commits that have begun already may come without images.
   *
   * @param connection the number of the connection that it is for
   * @param wake runs when there is something new and it is the follower's turn; quick, any thread
   * @return null if too many follow already
   */
  public @Nullable Follower follow(int connection, Runnable wake) {
    return follow(connection, connection, Dn.EMPTY, Images.LATEST, wake);
  }

  /**
   * Begins to follow on behalf of an owner.
   *
   * @param memory the account of the owner; the feed's backlog is held beside it, by an owner of
   *     its own
   * @param base the name of the entry below which it follows
   * @param images the images that changes of later commits must have
   * @return null if too many follow already
   */
  public @Nullable Follower follow(
      int connection, MemoryAccount memory, Dn base, Images images, Runnable wake) {
    charge(memory);
    return follow(connection, memory.owner(), base, images, wake);
  }

  private synchronized void charge(MemoryAccount memory) {
    if (charge == null) {
      charge = new SteppedCharge(memory.openBeside(this));
    }
  }

  /** Begins to follow all naming contexts on behalf of an owner. */
  @Nullable Follower follow(int connection, MemoryAccount memory, Images images, Runnable wake) {
    return follow(connection, memory, Dn.EMPTY, images, wake);
  }

  private @Nullable Follower follow(
      int connection, Object owner, Dn base, Images images, Runnable wake) {
    if (isFull(connection)) {
      return null;
    }
    Follower follower = new Follower(connection, owner, base, images, wake);
    // Under no lock: it may end another one.
    OwnedSlots.Slot slot = slots.take(owner, follower, limitPerOwner);
    if (slot == null) {
      return null;
    }
    if (!begin(follower, slot)) {
      slot.giveBack();
      return null;
    }
    return follower;
  }

  private synchronized boolean isFull(int connection) {
    return counts.getOrDefault(connection, 0) >= limitPerConnection;
  }

  /** Returns false if its place was taken in the meantime, or its connection has too many. */
  private synchronized boolean begin(Follower follower, OwnedSlots.Slot slot) {
    if (isFull(follower.connection) || !follower.beginAt(last)) {
      return false;
    }
    follower.slot = slot;
    counts.merge(follower.connection, 1, Integer::sum);
    followers.add(follower);
    if (follower.images == Images.BOTH) {
      comparing++;
    }
    return true;
  }

  public int followers() {
    return followers.size();
  }

  /** Makes every follower check again whether it may read the changes. */
  public void rightsChanged() {
    judge(Dn.EMPTY);
  }

  /**
   * Makes the followers of a naming context of which another epoch is known check if they are to
   * tell of it.
   */
  public void promoted(Dn suffix) {
    judge(suffix);
  }

  private void judge(Dn suffix) {
    for (Follower follower : followers) {
      if (follower.concerns(suffix)) {
        follower.judged = false;
        follower.tell();
      }
    }
    turns.wake();
  }

  /**
   * Drops the followers of a naming context that was refreshed from another server: it has changed
   * in ways that the feed does not tell of. Each of them is woken, to end what it does.
   *
   * @param isRepaired true if it was refreshed from nothing
   */
  public void refreshed(Dn suffix, boolean isRepaired) {
    for (Follower follower : followers) {
      if (follower.concerns(suffix)) {
        follower.drop(isRepaired ? Loss.REPAIRED : Loss.REFRESHED);
      }
    }
  }

  /** Drops all followers, as after a refresh. */
  @Override
  public void replaced() {
    refreshed(Dn.EMPTY, false);
  }

  @Override
  public Images images() {
    return comparing > 0 ? Images.BOTH : followers.isEmpty() ? Images.NONE : Images.LATEST;
  }

  @Override
  public void committed(List<CommittedChange> changes) {
    if (followers.isEmpty()) {
      return;
    }
    List<CommittedChange> told = numbered(changes);
    if (told.isEmpty()) {
      return;
    }
    append(told);
    for (Follower follower : followers) {
      follower.tell();
    }
    turns.wake();
  }

  /** Returns the changes that have numbers; of others, {@link #refreshed} tells. */
  private static List<CommittedChange> numbered(List<CommittedChange> changes) {
    return changes.stream().allMatch(CommittedChange::hasNumber)
        ? changes
        : changes.stream().filter(CommittedChange::hasNumber).toList();
  }

  /** Several stores may have writers. */
  private synchronized void append(List<CommittedChange> changes) {
    long length = 0;
    for (CommittedChange change : changes) {
      EntrySnapshot image = change.image();
      EntrySnapshot former = change.former();
      length += CHANGE_BYTES + (image == null ? 0 : image.length());
      length += former == null ? 0 : former.length();
    }
    Commit before = last;
    Commit commit = new Commit(changes, before.endBytes, length);
    before.next = commit;
    last = commit;
    keep(before);
  }

  /**
   * Takes memory for the backlog of the followers; if there is no room, the slowest are dropped.
   */
  private void keep(Commit before) {
    SteppedCharge held = charge;
    if (held == null) {
      return;
    }
    pass();
    boolean isFewer = true;
    while (!held.tryHold(behind())) {
      if (!isFewer || slowest == before || slowest == last) {
        // The commit that all are about to read is kept in any case.
        held.hold(behind());
        return;
      }
      isFewer = letGo(slowest);
      pass();
    }
  }

  /** Drops the followers at a commit; they are notified like all others. */
  private boolean letGo(Commit reached) {
    boolean isFewer = false;
    for (Follower follower : followers) {
      if (follower.move(reached, LOST)) {
        reached.followers.decrementAndGet();
        isFewer = true;
      }
    }
    return isFewer;
  }

  private long behind() {
    return last.endBytes - slowest.endBytes;
  }

  /** Leaves behind the commits that no follower will read any more. */
  private void pass() {
    // Written before the next count is read: a follower that leaves meanwhile sees it, or is seen.
    Commit next = slowest.next;
    while (next != null && slowest.followers.get() == 0) {
      slowest = next;
      next = next.next;
    }
  }

  /** One follower fewer is at this commit. */
  private void leave(Commit reached) {
    if (reached.followers.decrementAndGet() == 0 && reached == slowest) {
      giveBack();
    }
  }

  private synchronized void giveBack() {
    pass();
    SteppedCharge held = charge;
    if (held != null) {
      held.hold(behind());
    }
  }

  private synchronized void left(Follower follower) {
    if (followers.remove(follower)) {
      comparing -= follower.images == Images.BOTH ? 1 : 0;
      counts.computeIfPresent(follower.connection, (_, count) -> count == 1 ? null : count - 1);
      OwnedSlots.Slot slot = follower.slot;
      if (slot != null) {
        slot.giveBack();
      }
    }
  }

  /**
   * One that follows the feed.
   *
   * <p>Confined to one running operation, but for {@link #close}, {@link #use} and {@link #evict},
   * which any thread may call.
   */
  public final class Follower implements AutoCloseable, OwnedSlots.Tenant {
    private volatile Commit at = LOST;
    private volatile boolean judged = true;
    private final int connection;
    private OwnedSlots.@Nullable Slot slot;
    private final Dn base;
    private final Images images;
    private final Runnable wake;
    private final FollowerTurns.Turn turn;
    private final int number = numbers.incrementAndGet();
    private volatile Loss loss = Loss.BEHIND;

    private Follower(int connection, Object owner, Dn base, Images images, Runnable wake) {
      this.turn = turns.open(owner, this::wakeUp);
      this.base = base;
      this.images = images;
      this.connection = connection;
      this.wake = wake;
    }

    /**
     * Returns its number, so that followers are told in the same order whenever they are the same.
     */
    @Override
    public int hashCode() {
      return number;
    }

    private boolean concerns(Dn suffix) {
      return base.isWithin(suffix) || suffix.isWithin(base);
    }

    private void tell() {
      Commit reached = at;
      if (reached != LOST
          && last.startBytes - reached.endBytes > backlogBytes
          && move(reached, LOST)) {
        leave(reached);
      }
      if (at == LOST) {
        left(this);
        wakeUp();
      } else {
        turn.ask();
      }
    }

    private void wakeUp() {
      try {
        wake.run();
      } catch (Throwable e) {
        // Errors too: a fault of one follower must not affect the others.
        LOG.log(System.Logger.Level.DEBUG, "a follower cannot be woken: {0}", e.toString());
        close();
      }
    }

    private synchronized boolean beginAt(Commit commit) {
      boolean isKept = loss != Loss.DISPLACED;
      if (isKept) {
        commit.followers.incrementAndGet();
        at = commit;
      }
      return isKept;
    }

    @Override
    public OwnedSlots.Use use() {
      return hasNews() ? OwnedSlots.Use.AWAITING_CLIENT : OwnedSlots.Use.IDLE;
    }

    @Override
    public void evict() {
      drop(Loss.DISPLACED);
    }

    private void drop(Loss reason) {
      loss = reason;
      Commit reached = lose();
      if (reached != LOST) {
        leave(reached);
      }
      tell();
    }

    private synchronized Commit lose() {
      Commit reached = at;
      at = LOST;
      return reached;
    }

    private synchronized boolean move(Commit from, Commit to) {
      boolean there = at == from;
      if (there) {
        at = to;
      }
      return there;
    }

    private boolean hasNews() {
      Commit reached = at;
      return reached == LOST || reached.next != null || !judged;
    }

    /**
     * Returns whether there is something new, if only that the follower was dropped, and it is its
     * turn, which ends with {@link #rest}. Otherwise the follower is woken when both are so.
     */
    public boolean isReady() {
      if (!hasNews()) {
        turn.end();
        return false;
      }
      return isLost() || turn.take();
    }

    /** Ends the present turn, so that others have theirs; to be called after each slice. */
    public void rest() {
      turn.end();
    }

    /**
     * Returns whether rights, or the epochs of a naming context, have changed since the last call.
     */
    public boolean isToBeJudged() {
      boolean was = judged;
      judged = true;
      return !was;
    }

    /** Returns whether the follower was dropped; see {@link Loss}. */
    public boolean isLost() {
      return at == LOST;
    }

    /** Returns the reason why the follower was dropped, once it was. */
    public Loss loss() {
      return loss;
    }

    /** The changes of the next commit, which stays the next one; null if there is none. */
    public @Nullable List<CommittedChange> peek() {
      Commit next = at.next;
      return next == null ? null : next.changes;
    }

    /**
     * Returns whether one of the changes soon after one of the next commit fits a test.
     *
     * @param index the place of the change in the commit
     * @param most the number of changes to look at
     */
    public boolean isFollowedBy(Predicate<CommittedChange> test, int index, int most) {
      Commit next = at.next;
      int from = index + 1;
      for (int left = most; next != null && left > 0; left--) {
        if (from < next.changes.size()) {
          if (test.test(next.changes.get(from++))) {
            return true;
          }
        } else {
          next = next.next;
          from = 0;
        }
      }
      return false;
    }

    /** Advances past the next commit. */
    public void advance() {
      Commit reached = at;
      Commit next = reached.next;
      if (next != null) {
        next.followers.incrementAndGet();
        leave(move(reached, next) ? reached : next);
      }
    }

    /** Ends following, and releases its backlog. Idempotent, any thread. */
    @Override
    public void close() {
      Commit reached = lose();
      if (reached != LOST) {
        leave(reached);
      }
      left(this);
      turn.close();
    }
  }
}
