package org.nyala.core.replica;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.Csn;
import org.nyala.core.directory.ContextRef;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.replica.ReplicaException.Kind;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * One synchronization, from the cookie that was sent to the end of the connection: hands the work
 * to the writer, in order.
 *
 * <p>Thread-safe: the provider's messages come on one thread, the writer's answers on its own.
 */
final class ReplicaSession {
  private static final long BUSY_MILLIS = 20;

  private final ContextRef current;
  private final Backend backend;
  private final UpdateWindow window;
  private final CopiedTree tree;
  private final CountedChanges changes;

  /** The term of the store in which the synchronization was begun. */
  private final long term;

  /** The note to store with the first change that has no number; null for none. */
  private final @Nullable CopySource half;

  /** True if that note is on disk. */
  private volatile boolean isHalfNoted;

  private volatile @Nullable ReplicaException failure;
  private volatile boolean isOver;
  private volatile boolean isUnsure;

  /** The entries that are to go to the writer; used by the thread that brings the messages. */
  private final EntryBatch batch;

  /**
   * Begins it.
   *
   * @param changes counts the changes
   * @param term the term of the store in which the synchronization was begun
   * @param half the note that a refresh has begun; null if there is one, or this is none
   */
  ReplicaSession(
      ContextRef current,
      Backend backend,
      UpdateWindow window,
      CopiedTree tree,
      CountedChanges changes,
      long term,
      @Nullable CopySource half) {
    this.current = current;
    this.backend = backend;
    this.window = window;
    this.tree = tree;
    this.changes = changes;
    this.term = term;
    this.half = half;
    this.batch = new EntryBatch(window.mostMessages());
  }

  UpdateWindow window() {
    return window;
  }

  CopiedTree tree() {
    return tree;
  }

  /**
   * Does work in the writer's turn. With the first change of a refresh goes the note that it has
   * begun: a copy never has the one without the other.
   *
   * @return true if that note was made; {@link #halfNoted} when it is on disk
   */
  boolean run(ReplicaUpdate.Work work, UpdateContext context) throws ReplicaException {
    if (backend.writingTerm() != term) {
      // Another member of a cluster may have made the same changes meanwhile.
      throw new ReplicaException(Kind.AGAIN, "another member of the cluster has led meanwhile");
    }
    long before = changes.unnumbered();
    work.run(context);
    CopySource note = half;
    if (note == null || isHalfNoted || changes.unnumbered() == before) {
      return false;
    }
    context.noteSource(tree.suffix(), note);
    return true;
  }

  void halfNoted() {
    isHalfNoted = true;
  }

  /** Returns whether the copy says of itself that it is in a refresh, because of this session. */
  boolean isHalf() {
    return isHalfNoted;
  }

  /** Ends it: a later message changes nothing. The first reason counts. */
  synchronized void fail(ReplicaException reason) {
    if (failure == null) {
      failure = reason;
    }
    isOver = true;
  }

  /** Ends it, and notes that what was written is not what has had its turn. */
  synchronized void failToWrite(ReplicaException reason) {
    isUnsure = true;
    fail(reason);
  }

  /** Returns whether turns may have been undone. */
  boolean isUnsure() {
    return isUnsure;
  }

  /** Returns the reason why it has ended; null if there is none. */
  @Nullable ReplicaException failure() {
    return failure;
  }

  /** Ends it, without a failure. */
  void over() {
    isOver = true;
  }

  /** Returns whether messages change nothing any more. */
  boolean isOver() {
    return isOver;
  }

  /**
   * Requires that everything so far was written, or may still be.
   *
   * @throws ReplicaException the reason why not
   */
  void requireGoing() throws ReplicaException {
    ReplicaException reason = failure;
    if (reason != null) {
      throw reason.forThisThread();
    }
  }

  /**
   * Hands work to the writer, after the entries before it; waits while too much of it is there
   * already.
   *
   * @param done called once the work is on disk
   * @param messages the number of messages that it stands for
   * @param bytes the memory that it holds until then
   */
  void submit(ReplicaUpdate.Work work, Runnable done, int messages, long bytes)
      throws ReplicaException, InterruptedException {
    flush();
    requireGoing();
    window.enter(messages, bytes);
    send(new ReplicaUpdate(this, work, done, messages, bytes), messages, bytes);
  }

  /** Hands an update over, which has its places in the window. */
  private void send(ReplicaUpdate update, int messages, long bytes)
      throws ReplicaException, InterruptedException {
    boolean isTaken = false;
    try {
      while (!isTaken) {
        try {
          current.get().runtime().writers().submit(backend, update);
          isTaken = true;
        } catch (LdapOperationException e) {
          if (e.result().code() != ResultCode.BUSY) {
            throw new ReplicaException(Kind.STOPPING, String.valueOf(e.getMessage()));
          }
          window.awaitProgress(BUSY_MILLIS);
        }
      }
    } finally {
      if (!isTaken) {
        window.leave(messages, bytes);
      }
    }
  }

  /** Hands over the entries that have gathered. */
  void flush() throws ReplicaException, InterruptedException {
    int messages = batch.size();
    if (messages > 0) {
      long bytes = batch.bytes();
      List<Placement> entries = batch.take();
      send(new ReplicaUpdate(this, putAll(entries), () -> {}, messages, bytes), messages, bytes);
    }
  }

  /** Forgets the entries that were not handed over. */
  void discard() {
    window.leave(batch.size(), batch.bytes());
    batch.take();
  }

  /** Waits until everything so far is on disk. */
  void settle() throws ReplicaException, InterruptedException {
    flush();
    window.awaitEmpty();
    requireGoing();
  }

  /**
   * Hands an entry of the refresh stage to the writer, together with others; it may wait for its
   * parent.
   */
  void put(Placement placement) throws ReplicaException, InterruptedException {
    requireGoing();
    if (!window.tryEnter(1, placement.heldBytes())) {
      flush();
      window.enter(1, placement.heldBytes());
    }
    if (batch.add(placement)) {
      flush();
    }
  }

  /** Returns the work for entries; one that fails ends it, and those before it stay. */
  private ReplicaUpdate.Work putAll(List<Placement> entries) {
    return context -> {
      for (Placement each : entries) {
        try {
          putOne(context, each, null);
        } catch (ReplicaException e) {
          fail(e);
          return;
        }
      }
    };
  }

  /**
   * Hands a change of an entry to the writer.
   *
   * @param csn its number
   * @param done called once it is on disk
   */
  void put(Placement placement, Csn csn, Runnable done)
      throws ReplicaException, InterruptedException {
    submit(context -> putOne(context, placement, csn), done, 1, placement.heldBytes());
  }

  private void putOne(UpdateContext context, Placement placement, @Nullable Csn csn)
      throws ReplicaException {
    OperationContext directory = current.get();
    Placement now = placement;
    SyncMessage.EntryState message = placement.message();
    if (placement.schema() != directory.schema() && message != null) {
      now = new EntryReader(directory, tree.suffix()).read(message);
    }
    CopiedTree.Outcome outcome = tree.put(directory, context, now, csn);
    if (outcome == CopiedTree.Outcome.OTHER_TOP) {
      throw ReplicaException.otherTop(placement.dn());
    }
    if (outcome == CopiedTree.Outcome.NO_PARENT && csn != null) {
      throw new ReplicaException(Kind.MISFIT, "there is no entry here above " + placement.dn());
    }
  }

  /**
   * Deletes entries.
   *
   * @param csn the number of the change, of which there is one then; null in the refresh stage
   * @param done called once they are gone
   */
  void delete(List<UUID> entryUuids, @Nullable Csn csn, Runnable done)
      throws ReplicaException, InterruptedException {
    submit(
        context -> {
          if (!tree.delete(current.get(), context, entryUuids, csn)) {
            throw new ReplicaException(
                Kind.MISFIT,
                "the provider has deleted the entry "
                    + entryUuids.getFirst()
                    + ", which has others below it here");
          }
        },
        done,
        entryUuids.size(),
        entryUuids.size() * 64L);
  }

  /** Notes that entries are there, unchanged; those that are not here may still come. */
  void list(List<UUID> entryUuids) throws ReplicaException, InterruptedException {
    submit(
        context -> {
          UUID missing = tree.list(current.get(), context, entryUuids);
          if (missing != null) {
            throw ReplicaException.missing(missing);
          }
        },
        () -> {},
        entryUuids.size(),
        entryUuids.size() * 64L);
  }

  /**
   * Deletes entries; those that are gone leave the set.
   *
   * @param ids their entry ids
   */
  void deleteAbsent(EntryIds absent, long[] ids) throws ReplicaException, InterruptedException {
    submit(
        context -> {
          for (long gone : tree.deleteAbsent(current.get(), context, ids)) {
            absent.remove(gone);
            tree.doomed().remove(gone);
          }
        },
        () -> {},
        ids.length,
        ids.length * 64L);
  }

  /** Gives an entry the name back that it has lost, if that is free; see {@link CopiedTree}. */
  void restore(UUID entryUuid, boolean isPresent) throws ReplicaException, InterruptedException {
    submit(context -> tree.restore(current.get(), context, entryUuid, isPresent), () -> {}, 1, 64);
  }

  /**
   * The entries that go to the writer as one update.
   *
   * <p>Confined to one thread.
   */
  private static final class EntryBatch {
    /**
     * The entries of one update at most: fewer than it does in one commit, with room for others.
     */
    private static final int MOST = 128;

    /** Their memory from which on no further one goes with them: one commit has to hold them. */
    private static final long MOST_BYTES = 1 << 20;

    private final int most;
    private List<Placement> entries = new ArrayList<>();
    private long bytes;

    /**
     * Creates a batch.
     *
     * @param windowMessages the messages that may wait for the writer: the next batch is read while
     *     the one before is written
     */
    EntryBatch(int windowMessages) {
      this.most = Math.clamp(windowMessages / 4, 1, MOST);
    }

    /** Adds an entry; true if the batch is full then. */
    boolean add(Placement placement) {
      entries.add(placement);
      bytes += placement.heldBytes();
      return entries.size() >= most || bytes >= MOST_BYTES;
    }

    /** Returns the number of entries. */
    int size() {
      return entries.size();
    }

    /** Returns the memory of the messages. */
    long bytes() {
      return bytes;
    }

    /** Takes all entries out. */
    List<Placement> take() {
      List<Placement> all = entries;
      entries = new ArrayList<>();
      bytes = 0;
      return all;
    }
  }

  /**
   * Messages on their way through the writer. Once one of a synchronization has failed, later ones
   * do nothing: what comes after it cannot be on disk without it.
   *
   * <p>Confined to one thread at a time, like all updates.
   */
  static final class ReplicaUpdate implements Update {
    private final ReplicaSession session;
    private final Work work;
    private final Runnable done;
    private final int messages;
    private final long bytes;
    private @Nullable ReplicaException refusal;
    private boolean hadTurn;
    private boolean hasNoted;

    /** The work of a turn. */
    @FunctionalInterface
    interface Work {
      /**
       * Does it.
       *
       * @throws ReplicaException if the synchronization cannot go on; then nothing was changed
       */
      void run(UpdateContext context) throws ReplicaException;
    }

    /**
     * Creates an update.
     *
     * @param work done in the writer's turn, again if that is repeated
     * @param done called once it is on disk, on the writer's thread
     * @param messages the places that it holds of the session's window
     * @param bytes the memory that it holds of it
     */
    ReplicaUpdate(ReplicaSession session, Work work, Runnable done, int messages, long bytes) {
      this.session = session;
      this.work = work;
      this.done = done;
      this.messages = messages;
      this.bytes = bytes;
    }

    @Override
    public boolean isWanted() {
      return !session.isOver();
    }

    @Override
    public LdapResult apply(UpdateContext context) throws LdapOperationException {
      refusal = null;
      hadTurn = true;
      try {
        hasNoted = session.run(work, context);
        return LdapResult.SUCCESS;
      } catch (ReplicaException e) {
        refusal = e;
        // At once: updates of the same commit may follow.
        session.fail(e);
        throw new LdapOperationException(ResultCode.OTHER, String.valueOf(e.getMessage()));
      }
    }

    @Override
    public void answer(LdapResult result) {
      try {
        if (result.code() == ResultCode.SUCCESS) {
          if (hasNoted) {
            session.halfNoted();
          }
          done.run();
        } else if (refusal == null && (hadTurn || !session.isOver())) {
          session.failToWrite(
              new ReplicaException(
                  Kind.AGAIN,
                  "a change cannot be written: " + result.code() + " " + result.message()));
        }
      } finally {
        session.window().leave(messages, bytes);
      }
    }
  }
}
