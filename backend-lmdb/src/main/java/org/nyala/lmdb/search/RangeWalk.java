package org.nyala.lmdb.search;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.posting.BlockSet;
import org.nyala.lmdb.posting.PostingReader;

/**
 * Collects the entries of a range of values, which the index keeps value by value, into blocks: as
 * many keys at a time as the search may look at, over several slices if they are many.
 *
 * <p>Begins again if the store has changed meanwhile: otherwise an entry whose value has moved from
 * the part ahead to the part behind would be missed.
 *
 * <p>Confined to one running operation.
 */
public final class RangeWalk {
  /**
   * The number of bytes of a bound that are compared: among values with the same 383, hashes have
   * no order.
   */
  private static final int BOUND_LENGTH = IndexKeys.MAXIMUM_ESCAPED_LENGTH - 1;

  /** The number of bytes of a chunk that take as long as another key. */
  private static final int BYTES_PER_KEY = 256;

  private static final long NEVER = -1;

  private enum State {
    WALKING,
    COMPLETE,
    LEFT
  }

  private final RangeKey key;
  private final long fromBlock;
  private final ByteAppender start = new ByteAppender(32);
  private final int boundEnd;
  private final boolean isCut;

  private State state = State.WALKING;
  private boolean isInterrupted;
  private long snapshot = NEVER;
  private byte @Nullable [] next;
  private @Nullable IdListNode node;
  private @Nullable BlockSet last;
  private long lastBlock = NEVER;
  private long takenBytes;

  /** Prepares to collect entries from a block on. */
  RangeWalk(RangeKey key, long fromBlock) {
    this.key = key;
    this.fromBlock = fromBlock;
    IndexKeys.appendHeader(key.attribute(), key.kind(), start);
    byte[] bound = key.bound().array();
    boolean isBoundCut = !IndexKeys.appendBound(bound, 0, bound.length, start);
    this.boundEnd = Math.min(start.length(), IndexKeys.HEADER_LENGTH + BOUND_LENGTH);
    this.isCut = isBoundCut || boundEnd == IndexKeys.HEADER_LENGTH + BOUND_LENGTH;
  }

  /**
   * Returns the entries once all are collected; null before, and if collecting does not pay.
   *
   * @param isWhole true if the index finds only entries that were asked for
   */
  @Nullable CandidateNode node(PlanContext reader, boolean isWhole) {
    IdListNode collected = state == State.COMPLETE ? node : null;
    if (collected == null) {
      return null;
    }
    boolean isSame = snapshot == reader.slot().snapshot();
    boolean isExact = isWhole && isSame && !isCut && key.form() != RangeKey.Form.PREFIX;
    return isExact == collected.isExact() ? collected : collected.as(isExact);
  }

  /** Returns whether nothing more will be collected. */
  public boolean isOver() {
    return state != State.WALKING;
  }

  /** Continues as far as the search may now. */
  public void advance(PlanContext reader, PostingReader postings, KeptPlan plan) {
    if (isOver()) {
      return;
    }
    long current = reader.slot().snapshot();
    if (snapshot != NEVER && snapshot != current) {
      isInterrupted = true;
      restart(plan);
    }
    PlanLimits limits = plan.limits();
    long most = isInterrupted ? limits.burstKeys() : limits.stepKeys();
    if (plan.isSpent()) {
      leave(plan);
    } else if (plan.credit() >= (isInterrupted ? plan.least(most) : 1)) {
      snapshot = current;
      walk(postings.disown(), plan, Math.min(most, plan.credit()));
    }
  }

  private void restart(KeptPlan plan) {
    plan.give(takenBytes);
    takenBytes = 0;
    node = null;
    last = null;
    lastBlock = NEVER;
    next = null;
    snapshot = NEVER;
  }

  private void leave(KeptPlan plan) {
    restart(plan);
    state = State.LEFT;
  }

  private void walk(SeekCursor cursor, KeptPlan plan, long keys) {
    long left = keys;
    boolean found = seek(cursor);
    while (found && isWithin(cursor.key())) {
      if (left <= 0) {
        plan.spend(keys - left);
        stop(cursor.key(), plan);
        return;
      }
      ByteBuffer chunk = cursor.value();
      left -= 1 + chunk.remaining() / BYTES_PER_KEY;
      long block = IndexKeys.blockOf(cursor.key()) & 0xffff_ffffL;
      if (block >= fromBlock && !add(block, chunk, plan)) {
        plan.spend(keys - left);
        leave(plan);
        return;
      }
      found = cursor.next();
    }
    plan.spend(keys - left);
    complete(plan);
  }

  private void complete(KeptPlan plan) {
    if (node == null) {
      node = new IdListNode(false);
    }
    long leftBytes = node.trim();
    plan.give(takenBytes - leftBytes);
    takenBytes = leftBytes;
    next = null;
    last = null;
    state = State.COMPLETE;
  }

  private void stop(ByteBuffer at, KeptPlan plan) {
    if (plan.isSpent()) {
      leave(plan);
      return;
    }
    byte[] copy = new byte[at.remaining()];
    at.get(at.position(), copy);
    next = copy;
  }

  private boolean seek(SeekCursor cursor) {
    byte[] from = next;
    if (from != null) {
      return cursor.seekOrNext(from, from.length);
    }
    boolean isFromBegin = key.form() == RangeKey.Form.TO;
    return cursor.seekOrNext(start.array(), isFromBegin ? IndexKeys.HEADER_LENGTH : boundEnd);
  }

  private boolean isWithin(ByteBuffer at) {
    return switch (key.form()) {
      case FROM -> PostingReader.beginsWith(at, start.array(), IndexKeys.HEADER_LENGTH);
      case TO ->
          PostingReader.beginsWith(at, start.array(), IndexKeys.HEADER_LENGTH) && isNotAbove(at);
      case PREFIX -> PostingReader.beginsWith(at, start.array(), boundEnd);
    };
  }

  /** Adds a chunk; false if that takes too much memory. */
  private boolean add(long block, ByteBuffer chunk, KeptPlan plan) {
    BlockSet set = last;
    long before = 0;
    if (set == null || block != lastBlock) {
      IdListNode target = node == null ? new IdListNode(false) : node;
      node = target;
      int blocks = target.blockCount();
      set = target.block(block);
      before = target.blockCount() > blocks ? 0 : set.bytes();
      last = set;
      lastBlock = block;
    } else {
      before = set.bytes();
    }
    set.or(chunk);
    long grown = set.bytes() - before;
    if (grown != 0 && !plan.take(grown)) {
      return false;
    }
    takenBytes += grown;
    return true;
  }

  /**
   * Returns whether the key's value is not greater than the bound, compared up to the end of a
   * bound that was cut.
   */
  private boolean isNotAbove(ByteBuffer at) {
    byte[] bound = start.array();
    int valueEnd = at.limit() - IndexKeys.BLOCK_LENGTH - 1;
    int end = Math.min(valueEnd, boundEnd);
    for (int i = IndexKeys.HEADER_LENGTH; i < end; i++) {
      int difference = (at.get(i) & 0xff) - (bound[i] & 0xff);
      if (difference != 0) {
        return difference < 0;
      }
    }
    return isCut || valueEnd <= boundEnd;
  }
}
