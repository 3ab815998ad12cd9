package org.nyala.core.operation.sync;

import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.session.Operation;
import org.nyala.core.update.ChangeFeed;
import org.nyala.core.update.ChangeListener.Images;
import org.nyala.core.update.CommittedChange;

/**
 * The place of a search in the feed of changes, and the loop that passes them on.
 *
 * <p>Confined to one running operation, but for {@link #isReady}, which any thread may call.
 */
final class FollowedFeed {
  /** The number of changes between two readings of the clock. */
  private static final int CLOCK_INTERVAL = 32;

  /** The number of tests of one entry after which the clock is read. */
  private static final int CLOCK_TESTS = 1024;

  private final Operation operation;
  private final ChangeFeed.Follower feed;
  private int index;
  private int left;
  private long tests;

  private FollowedFeed(Operation operation, ChangeFeed.Follower feed) {
    this.operation = operation;
    this.feed = feed;
  }

  /**
   * Joins the feed.
   *
   * @param base the name below which changes count
   * @throws LdapOperationException adminLimitExceeded if there are too many followers already
   */
  static FollowedFeed join(OperationContext directory, Operation operation, Dn base, Images images)
      throws LdapOperationException {
    ChangeFeed.Follower feed =
        directory
            .runtime()
            .feed()
            .follow(
                operation.connectionNumber(),
                operation.session().memory(),
                base,
                images,
                operation::wake);
    if (feed == null) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, "too many persistent searches");
    }
    return new FollowedFeed(operation, feed);
  }

  /** Returns whether there is something new and it is its turn; otherwise it is woken. */
  boolean isReady() {
    return feed.isReady();
  }

  /** Returns whether rights or epochs have changed since the last call. */
  boolean isToBeJudged() {
    return feed.isToBeJudged();
  }

  /** Returns why changes were lost; null if none were. */
  ChangeFeed.@Nullable Loss loss() {
    return feed.isLost() ? feed.loss() : null;
  }

  /** Returns whether one of the next changes passes a test. */
  boolean isFollowedBy(Predicate<CommittedChange> test, int most) {
    return feed.isFollowedBy(test, index, most);
  }

  /** Begins a slice; returns its first change, or null. */
  @Nullable CommittedChange begin(SearchPlan plan, SliceBudget budget)
      throws LdapOperationException {
    plan.pace().begin(operation, budget);
    left = budget.steps();
    return left > 0 ? peek(plan) : null;
  }

  private @Nullable CommittedChange peek(SearchPlan plan) throws LdapOperationException {
    List<CommittedChange> changes = feed.peek();
    if (changes != null && operation.isAbandoned()) {
      throw new LdapOperationException(LdapResult.of(ResultCode.CANCELED));
    }
    tests = plan.directory().scratch().matcher.tests();
    return changes == null ? null : changes.get(index);
  }

  /** Advances past the change at hand; returns whether it was the last one of its commit. */
  boolean advance() {
    List<CommittedChange> changes = feed.peek();
    boolean isLast = changes != null && ++index == changes.size();
    if (isLast) {
      index = 0;
      feed.advance();
    }
    return isLast;
  }

  /** Returns the next change; null if there is none, the client must read, or the slice is over. */
  @Nullable CommittedChange next(SearchPlan plan) throws LdapOperationException {
    boolean looks =
        left % CLOCK_INTERVAL == 0
            || plan.directory().scratch().matcher.tests() - tests > CLOCK_TESTS;
    boolean goesOn = operation.sink().isWritable() && (!looks || plan.pace().goesOn());
    return --left > 0 && goesOn ? peek(plan) : null;
  }

  /** Ends the turn after a slice, so that others have theirs. */
  void rest() {
    feed.rest();
  }

  /** Leaves the feed. Idempotent. */
  void close() {
    feed.close();
  }
}
